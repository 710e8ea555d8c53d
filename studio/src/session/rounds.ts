import type { Execution } from '../api/schema'
import type { GraphModel } from '../graph/model'

/**
 * roundsOf are the rounds of one visit of a container: for each the visits of the steps that it contains,
 * of each visit the newest attempt. The history has no number of the round. A step that the container
 * starts itself came from no other step, so a round ends where such a step runs once more.
 */
export function roundsOf(history: Execution[], model: GraphModel, container: string, visit: number): Execution[][] {
  const body = new Set(model.children.get(container) ?? [])
  const own = history.filter((x) => x.step === container)
  const from = Math.max(0, ...own.filter((x) => x.visit < visit).map((x) => x.seq))
  const to = Math.max(0, ...own.filter((x) => x.visit === visit).map((x) => x.seq)) || Infinity
  const rounds: Execution[][] = []
  let started = new Set<string>()
  const places = new Map<string, [round: number, place: number]>()
  for (const x of history) {
    if (x.seq <= from || x.seq >= to || !body.has(x.step)) continue
    const name = `${x.step} ${x.visit}`
    const known = places.get(name)
    if (known) {
      rounds[known[0]][known[1]] = x
      continue
    }
    const starts = x.took.length === 0
    if (rounds.length === 0 || (starts && started.has(x.step))) {
      rounds.push([])
      started = new Set()
    }
    if (starts) started.add(x.step)
    places.set(name, [rounds.length - 1, rounds[rounds.length - 1].length])
    rounds[rounds.length - 1].push(x)
  }
  return rounds
}

/** Where a visit of a body's step belongs: a visit of its container, and the round, counted from 1. */
export interface InRound {
  container: string
  visit: number
  round: number
}

/** roundOf is the round in which a visit ran; undefined for a step of no container. */
export function roundOf(history: Execution[], model: GraphModel, x: Execution): InRound | undefined {
  const container = model.byId.get(x.step)?.parent
  if (!container) return undefined
  const own = history.filter((o) => o.step === container)
  const visit = own.find((o) => o.seq > x.seq)?.visit ?? Math.max(0, ...own.map((o) => o.visit)) + 1
  const at = roundsOf(history, model, container, visit).findIndex((r) => r.some((o) => o.step === x.step && o.visit === x.visit))
  return at < 0 ? undefined : { container, visit, round: at + 1 }
}
