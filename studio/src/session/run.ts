import type { Execution } from '../api/schema'

/** The states a step can be in on the canvas; idle is one that was never reached. */
export type StepStatus = 'idle' | 'pending' | 'active' | 'complete' | 'error' | 'skipped' | 'cancelled' | 'awaiting_input'

export interface StepRun {
  status: StepStatus
  visits: number
  attempt: number
  error?: string
  /** Milliseconds; when it began what it is in now. */
  since?: number
  /** Of containers: the round that runs. */
  round?: number
  rounds?: number
  /** Of maps and subflows: how many child sessions have ended, of how many. */
  ended?: number
  children?: number
}

export interface PathRun {
  taken: number
  refused: number
  /** Of the newest evaluation. */
  open?: boolean
  /** When it was last taken, for the dot that moves along it. */
  at?: number
}

/** What of one session the canvas shows. */
export interface RunView {
  steps: Record<string, StepRun>
  paths: Record<string, PathRun>
}

export interface JudgedPath {
  path: string
  target: string
  open: boolean
  error?: string
  clauses?: { path: string; operand: unknown; value?: unknown; result: boolean }[]
}

export const emptyRun: RunView = { steps: {}, paths: {} }

export const idle: StepRun = { status: 'idle', visits: 0, attempt: 0 }

export function judgedOf(x: Execution): JudgedPath[] {
  return Array.isArray(x.paths) ? (x.paths as JudgedPath[]) : []
}

/** What the engine keeps of a container or an agent at work: the round counts from 0. */
interface Driven {
  body?: { round: number; rounds?: number; count?: number; at_once?: boolean }
  agent?: { rounds?: unknown[]; calls?: { path?: string; state?: string }[] }
  children?: { count: number; next: number; live?: Record<string, string> }
}

/** The session's state as the API gives it, as far as the page reads it. */
export interface StateText {
  workflow?: Record<string, { status?: string; error?: string; last_executed?: number }>
  data?: { outputs?: Record<string, unknown> }
  engine?: {
    /** Steps whose paths are not followed: the session goes up to them. */
    until?: string[]
    live?: Record<string, { visit?: number; at?: number }>
    driven?: Record<string, Driven>
  }
}

const statuses = new Set(['pending', 'active', 'complete', 'error', 'skipped', 'cancelled', 'awaiting_input'])

const statusOf = (text: string | undefined): StepStatus => (text && statuses.has(text) ? (text as StepStatus) : 'idle')

/** What holds a session is more worth seeing than what runs. */
const STANDS: StepStatus[] = ['awaiting_input', 'error', 'pending', 'active']

/** standsAt is the step at which a session stands: where it waits, failed, hangs or runs. */
export function standsAt(steps: Record<string, StepRun>): string | undefined {
  for (const status of STANDS) {
    const found = Object.keys(steps).find((id) => steps[id].status === status)
    if (found) return found
  }
  return undefined
}

/** runOf is where a session stands now: the statuses of its state, visits and paths of its history. */
export function runOf(state: StateText | undefined, history: Execution[]): RunView {
  const run = historyRun(history)
  for (const [id, s] of Object.entries(state?.workflow ?? {})) {
    const before = run.steps[id] ?? idle
    run.steps[id] = { ...before, status: statusOf(s.status), error: s.error || undefined, since: s.last_executed ?? before.since }
    if (['active', 'awaiting_input', 'pending'].includes(s.status ?? '')) {
      const visit = state?.engine?.live?.[id]?.visit
      run.steps[id].visits = Math.max(before.visits, visit ?? 0)
    }
  }
  for (const [id, d] of Object.entries(state?.engine?.driven ?? {})) {
    const before = run.steps[id] ?? idle
    if (d.body && !d.body.at_once) run.steps[id] = { ...before, round: d.body.round + 1, rounds: d.body.rounds || d.body.count || undefined }
    else if (d.agent?.rounds?.length) run.steps[id] = { ...before, round: d.agent.rounds.length }
    else if (d.children) run.steps[id] = { ...before, ended: d.children.next - Object.keys(d.children.live ?? {}).length, children: d.children.count }
  }
  return run
}

/** historyRun is what the history alone says: for each step its newest visit, for each path how it was judged. */
export function historyRun(history: Execution[]): RunView {
  const run: RunView = { steps: {}, paths: {} }
  for (const x of history) note(run, x)
  return run
}

function note(run: RunView, x: Execution) {
  const before = run.steps[x.step] ?? idle
  const status: StepStatus = x.status === 'answered' ? 'complete' : x.status === 'lost' || x.status === 'round' ? before.status : statusOf(x.status)
  run.steps[x.step] = {
    status,
    visits: Math.max(before.visits, x.visit),
    attempt: x.attempt,
    error: x.status === 'error' ? messageOf(x.error) : undefined,
    since: Date.parse(x.finished_at),
  }
  for (const p of judgedOf(x)) {
    const old = run.paths[p.path] ?? { taken: 0, refused: 0 }
    run.paths[p.path] = {
      taken: old.taken + (p.open ? 1 : 0),
      refused: old.refused + (p.open ? 0 : 1),
      open: p.open,
      at: p.open ? Date.parse(x.finished_at) : old.at,
    }
  }
}

export function messageOf(error: unknown): string {
  if (!error) return ''
  if (typeof error === 'string') return error
  const e = error as { message?: string; kind?: string }
  return e.message ?? e.kind ?? JSON.stringify(error)
}

/** A moment is one thing that happened; a replay goes from moment to moment. */
export interface Moment {
  at: number
  seq: number
  kind: 'start' | 'end'
  execution: Execution
}

/** momentsOf are the beginnings and ends of all visits, in order. */
export function momentsOf(history: Execution[]): Moment[] {
  const list: Moment[] = []
  for (const x of history) {
    list.push({ at: Date.parse(x.started_at), seq: x.seq, kind: 'start', execution: x })
    list.push({ at: Date.parse(x.finished_at), seq: x.seq, kind: 'end', execution: x })
  }
  return list.sort((a, b) => a.at - b.at || a.seq - b.seq || (a.kind === 'start' ? -1 : 1))
}

/** runAt is where the session stood after the first n moments. */
export function runAt(moments: Moment[], n: number): RunView {
  const run: RunView = { steps: {}, paths: {} }
  for (const m of moments.slice(0, n)) {
    const x = m.execution
    if (m.kind === 'end') {
      note(run, x)
      continue
    }
    const before = run.steps[x.step] ?? idle
    const status: StepStatus = x.status === 'answered' ? 'awaiting_input' : 'active'
    run.steps[x.step] = { ...before, status, visits: Math.max(before.visits, x.visit), attempt: x.attempt, since: m.at }
  }
  return run
}

/** begunBy are the visits that had begun by the n-th moment. */
export function begunBy(moments: Moment[], n: number): Execution[] {
  return moments.slice(0, n).flatMap((m) => (m.kind === 'start' ? [m.execution] : []))
}

export interface Totals {
  steps: number
  input: number
  output: number
  cost: number
  estimated: boolean
  models: string[]
}

export interface UsageText {
  model?: string
  input_tokens?: number
  output_tokens?: number
  cached_tokens?: number
  estimated?: boolean
  cost_usd?: number
}

export function usageOf(x: Execution): UsageText | undefined {
  return x.usage && typeof x.usage === 'object' ? (x.usage as UsageText) : undefined
}

export function totalsOf(history: Execution[]): Totals {
  const t: Totals = { steps: history.length, input: 0, output: 0, cost: 0, estimated: false, models: [] }
  for (const x of history) {
    const u = usageOf(x)
    if (!u) continue
    t.input += u.input_tokens ?? 0
    t.output += u.output_tokens ?? 0
    t.cost += u.cost_usd ?? 0
    t.estimated ||= u.estimated ?? false
    if (u.model && !t.models.includes(u.model)) t.models.push(u.model)
  }
  return t
}

/** doneOf counts what is behind a session: the steps of its workflow that are complete, and those that are skipped. */
export function doneOf(steps: Record<string, StepRun>, ids: string[]): { complete: number; skipped: number } {
  const count = (status: StepStatus) => ids.filter((id) => steps[id]?.status === status).length
  return { complete: count('complete'), skipped: count('skipped') }
}

/** merge adds newer executions to those known, each once, in order. */
export function merge(known: Execution[], more: Execution[]): Execution[] {
  if (more.length === 0) return known
  const bySeq = new Map(known.map((x) => [x.seq, x]))
  for (const x of more) bySeq.set(x.seq, x)
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq)
}

/** readersOf are the visits that used an output of this one. */
export function readersOf(history: Execution[], id: string): Execution[] {
  return history.filter((x) => x.reads?.includes(id))
}
