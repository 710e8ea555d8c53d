import type { Execution } from '../api/schema'
import { type GraphModel, type PathView, compare } from '../graph/model'
import type { PathRun, RunView, StateText } from './run'

/** A ToolCall is one call of a tool that a model asked for in a round. */
export interface ToolCall {
  /** What the model called the tool; of a call that the round's text does not hold, the path's name. */
  name: string
  arguments?: unknown
  path?: PathView
  /** The newest attempt of the visit that the call was; undefined while it runs, and where no step ran for it. */
  x?: Execution
  /** Why no step ran for it. */
  refused?: string
}

/** An AgentRound is one call of the model and the calls of tools that it asked for. */
export interface AgentRound {
  /** Counted from 1. */
  n: number
  /** The record of the model's call; the answer in the last round. */
  x: Execution
  text: string
  calls: ToolCall[]
  /** Calls of the model that failed and were made again. */
  failed: Execution[]
}

/** What an agent keeps of a round in the history. */
interface Entry {
  text?: string
  tool_calls?: { id?: string; name?: string; arguments?: unknown }[]
  refused?: Record<string, string>
}

const entryOf = (x: Execution): Entry => (x.output && typeof x.output === 'object' ? (x.output as Entry) : {})

/** isAgent reports whether a step has called tools in rounds, or has paths to tools. */
export function isAgent(history: Execution[], model: GraphModel, step: string): boolean {
  return model.paths.some((p) => p.kind === 'TOOL' && p.source === step) || history.some((x) => x.step === step && x.status === 'round')
}

/** agentRounds are the rounds of one visit of an agent, the oldest first. */
export function agentRounds(history: Execution[], model: GraphModel, agent: string, visit: number): AgentRound[] {
  const out: AgentRound[] = []
  let failed: Execution[] = []
  const own = history.filter((x) => x.step === agent && x.visit === visit)
  const children = childrenOf(history)
  own.forEach((x, i) => {
    if (x.status !== 'round' && x.status !== 'complete' && i < own.length - 1) {
      failed.push(x)
      return
    }
    const round = x.status === 'round'
    const e = entryOf(x)
    out.push({ n: out.length + 1, x, failed, text: round ? (e.text ?? '') : answerOf(x.output), calls: round ? callsOf(children.get(x.id) ?? [], model, x, i < own.length - 1) : [] })
    failed = []
  })
  return out
}

function answerOf(output: unknown): string {
  const text = output && typeof output === 'object' ? ((output as { response?: unknown; text?: unknown }).response ?? (output as { text?: unknown }).text) : output
  return typeof text === 'string' ? text : ''
}

/** childrenOf are the visits of tools, by the round that called them. */
function childrenOf(history: Execution[]): Map<string, Execution[]> {
  const out = new Map<string, Execution[]>()
  for (const x of history) {
    if (x.parent === undefined) continue
    const list = out.get(x.parent)
    if (list) list.push(x)
    else out.set(x.parent, [x])
  }
  return out
}

/**
 * callsOf ties the calls of a round to the visits of tools that name the round as their parent. The history
 * has no number of the call: calls of one tool begin in the order in which the model asked for them. Where
 * some of them were refused, a visit belongs to the first call whose arguments its input has.
 */
function callsOf(children: Execution[], model: GraphModel, round: Execution, over: boolean): ToolCall[] {
  const visits = new Map<string, Execution>()
  for (const x of children) visits.set(`${x.step} ${x.visit}`, x)
  const left = [...visits.values()].sort((a, b) => a.visit - b.visit)
  const tools = toolsOf(model, round.step)
  const entry = entryOf(round)
  const asked = (entry.tool_calls ?? []).map((c): ToolCall => ({ name: c.name ?? '', arguments: c.arguments, path: tools.get(c.name ?? ''), refused: entry.refused?.[c.id ?? ''] }))
  for (const call of asked) {
    if (!call.path || call.refused !== undefined) continue
    const mine = left.filter((x) => x.step === call.path!.target)
    const rivals = asked.filter((c) => c.path?.target === call.path!.target && !c.x && c.refused === undefined).length
    call.x = mine.length >= rivals ? mine[0] : mine.find((x) => has(x.input, call.arguments))
    if (call.x) left.splice(left.indexOf(call.x), 1)
  }
  if (over) {
    for (const call of asked) if (!call.x) call.refused ??= call.path ? 'The tool did not run: its arguments did not fit, or the call was ended.' : 'There is no tool of this name.'
  }
  const byStep = new Map([...tools.values()].map((p) => [p.target, p]))
  return [...asked, ...left.map((x) => ({ name: byStep.get(x.step)?.path.name || x.step, path: byStep.get(x.step), x }))]
}

/** has reports whether each argument of a call is found in what its step was given. */
function has(input: unknown, args: unknown): boolean {
  if (!args || typeof args !== 'object') return false
  const text = JSON.stringify(input ?? null)
  return Object.values(args).every((v) => text.includes(JSON.stringify(v)))
}

const LONGEST = 64

/** toolsOf are an agent's tools by the names that its model knows, by the engine's rule. */
function toolsOf(model: GraphModel, agent: string): Map<string, PathView> {
  const out = new Map<string, PathView>()
  const seen = new Set<string>()
  const paths = model.paths
    .filter((p) => p.kind === 'TOOL' && p.source === agent)
    .sort((a, b) => (a.path.priority ?? Infinity) - (b.path.priority ?? Infinity) || compare(a.target, b.target))
  for (const p of paths) {
    const key = `${p.target}\n${p.path.name ?? ''}`
    if (seen.has(key)) continue
    seen.add(key)
    const base = (p.path.name || p.target).replace(/[^\w-]/gu, '_').slice(0, LONGEST)
    let name = base
    for (let n = 2; out.has(name); n++) name = base.slice(0, LONGEST - `_${n}`.length) + `_${n}`
    out.set(name, p)
  }
  return out
}

/** withTools adds to a run the TOOL paths that its agents took: those of ended calls, and those of calls that run. */
export function withTools(run: RunView, history: Execution[], model: GraphModel | undefined, state?: StateText): RunView {
  if (!model?.paths.some((p) => p.kind === 'TOOL')) return run
  const taken: Record<string, PathRun> = {}
  const take = (id: string, at?: number) => (taken[id] = { taken: (taken[id]?.taken ?? 0) + 1, refused: 0, open: true, at: at ?? taken[id]?.at })
  const children = childrenOf(history)
  for (const x of history) {
    const called = x.status === 'round' ? children.get(x.id) : undefined
    for (const c of called ? callsOf(called, model, x, false) : []) if (c.x && c.path) take(c.path.id, Date.parse(c.x.started_at))
  }
  for (const d of Object.values(state?.engine?.driven ?? {})) {
    for (const c of d.agent?.calls ?? []) if (c.state === 'runs' && c.path) take(c.path)
  }
  return { ...run, paths: { ...run.paths, ...taken } }
}

/** calledIn is the round in which a tool's visit ran: of which agent, of which of its visits, and which one. */
export function calledIn(history: Execution[], x: Execution): { agent: string; visit: number; round: number } | undefined {
  const parent = x.parent === undefined ? undefined : history.find((p) => p.id === x.parent)
  if (parent?.status !== 'round') return undefined
  const before = history.filter((p) => p.step === parent.step && p.visit === parent.visit && p.status === 'round' && p.seq <= parent.seq)
  return { agent: parent.step, visit: parent.visit, round: before.length }
}
