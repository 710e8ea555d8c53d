import { type StoreApi, createStore } from 'zustand'
import { type RunView, emptyRun } from '../session/run'

/**
 * What the cards and paths of one canvas show of a session. It is a store of its own: an
 * event then renders the cards it concerns and not the list of all of them.
 */
export interface CanvasRun extends RunView {
  /** Steps and paths that something has just happened at. */
  fresh: Record<string, true>
  /** Steps that were edited since the session ran them. */
  edited: Record<string, true>
  /** Paths of the round that the inspector shows. */
  lit: Record<string, true>
  /** Whether a session is shown at all; without one, cards have no state. */
  shown: boolean
}

export type RunStore = StoreApi<CanvasRun>

export const newRunStore = (): RunStore => createStore<CanvasRun>(() => ({ ...emptyRun, fresh: {}, edited: {}, lit: {}, shown: false }))

/** How long a step or path is marked after it was used. */
const FRESH = 2500

/** show replaces what is shown; what changed is marked for a while when live. */
export function show(store: RunStore, run: RunView, live: boolean) {
  const before = store.getState()
  const steps = keep(before.steps, run.steps)
  const paths = keep(before.paths, run.paths)
  const fresh: Record<string, true> = live ? { ...before.fresh } : {}
  const added: string[] = []
  if (live && before.shown) {
    for (const [id, p] of Object.entries(run.paths)) if (p.taken > (before.paths[id]?.taken ?? 0)) added.push('path ' + id)
    for (const [id, s] of Object.entries(run.steps)) {
      const old = before.steps[id]
      if (s.visits > (old?.visits ?? 0) || (s.status !== old?.status && s.status !== 'skipped')) added.push('step ' + id)
    }
  }
  for (const key of added) fresh[key] = true
  store.setState({ steps, paths, fresh, shown: true })
  if (added.length > 0) {
    setTimeout(() => {
      store.setState((s) => {
        const rest = { ...s.fresh }
        for (const key of added) delete rest[key]
        return { fresh: rest }
      })
    }, FRESH)
  }
}

/** showEdited marks the edited steps; the cards are asked again only when these are others than before. */
export function showEdited(store: RunStore, edited: Record<string, true>) {
  if (!same(store.getState().edited, edited)) store.setState({ edited })
}

/** light marks the paths of a round; the lines are asked again only when these are others than before. */
export function light(store: RunStore, paths: string[]) {
  const lit: Record<string, true> = Object.fromEntries(paths.map((p) => [p, true]))
  if (!same(store.getState().lit, lit)) store.setState({ lit })
}

/** keep takes over the old object wherever nothing changed, so that its card is left alone. */
function keep<T extends object>(old: Record<string, T>, next: Record<string, T>): Record<string, T> {
  const out: Record<string, T> = {}
  for (const [id, v] of Object.entries(next)) {
    const o = old[id]
    out[id] = o && same(o, v) ? o : v
  }
  return out
}

function same(a: object, b: object): boolean {
  const keys = Object.keys(b)
  return keys.length === Object.keys(a).length && keys.every((k) => (a as Record<string, unknown>)[k] === (b as Record<string, unknown>)[k])
}
