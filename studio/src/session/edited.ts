import type { Execution, LogEntry } from '../api/schema'

/**
 * Texts are the texts that the steps of a workflow have had, by step and hash, with whether the step
 * is like this now. The text of now is missing until an engine has read it.
 */
export type Texts = Map<string, boolean>

const key = (step: string, hash: string) => `${step}\n${hash}`

export function textsOf(log: LogEntry[]): Texts {
  return new Map(log.map((e) => [key(e.step, e.hash), e.current]))
}

/** editedAfter reports whether the step of a visit was edited since. Of a text that the log does not know, nothing is said. */
export function editedAfter(texts: Texts, x: Execution): boolean {
  return x.definition !== undefined && texts.get(key(x.step, x.definition)) === false
}

/** editedSteps are the steps whose newest visit ran a text that is no longer theirs. */
export function editedSteps(texts: Texts, history: Execution[]): Record<string, true> {
  const newest = new Map(history.map((x) => [x.step, x]))
  const out: Record<string, true> = {}
  for (const [step, x] of newest) if (editedAfter(texts, x)) out[step] = true
  return out
}
