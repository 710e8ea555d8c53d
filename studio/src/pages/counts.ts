import type { Stats } from '../api/schema'
import type { StepCounts } from '../canvas/context'
import type { SessionFilter } from '../graph/cypher'

/** countsOf joins what a workflow's figures say of its steps: open questions, and how unfinished steps stand. */
export function countsOf(stats: Stats | undefined): StepCounts {
  const out: StepCounts = {}
  for (const [step, by] of Object.entries(stats?.steps ?? {})) out[step] = { ...by }
  for (const [step, n] of Object.entries(stats?.waiting ?? {})) out[step] = { ...out[step], awaiting_input: n }
  return out
}

/**
 * standingAt is the filter that lists the sessions behind one count. Questions are found by
 * their index; how other steps stand is in the state's text only, so the text is the filter.
 */
export function standingAt(workflow: string, step: string, status: string): SessionFilter {
  if (status === 'awaiting_input') return { workflow, step, awaiting: true }
  return { workflow, status: ['error', 'pending', 'active', 'paused'], q: `${JSON.stringify(step)}:{"status":"${status}"` }
}
