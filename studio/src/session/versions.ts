import type { Execution } from '../api/schema'

/** A Version is one thing a step has put out: an ended visit, or an output that the state keeps. */
export interface Version {
  /** Of a visit its number in the session; of a kept output the index a reference would use, -1 the newest. */
  key: number
  x?: Execution
  output: unknown
}

/** versionsOf are the visits of a step, the oldest first, and then the outputs that its state keeps. */
export function versionsOf(visits: Execution[], outputs: unknown[]): Version[] {
  return [...visits.map((x) => ({ key: x.seq, x, output: x.output })), ...outputs.map((output, i) => ({ key: i - outputs.length, output }))]
}

/** outputsOf are the outputs that a state keeps of a step. One that is not a list is the step's only output. */
export function outputsOf(outputs: Record<string, unknown> | undefined, step: string): unknown[] {
  const kept = outputs && Object.hasOwn(outputs, step) ? outputs[step] : undefined
  return kept === undefined ? [] : Array.isArray(kept) ? (kept as unknown[]) : [kept]
}

/** pairOf reads the two versions that an address names, such as `3..-1`. What it does not name is the newest two visits. */
export function pairOf(versions: Version[], text: string | undefined): [Version, Version] | undefined {
  if (versions.length < 2) return undefined
  const [a, b] = (/^(-?\d+)\.\.(-?\d+)$/.exec(text ?? '') ?? []).slice(1).map((n) => versions.find((v) => v.key === Number(n)))
  const visits = versions.filter((v) => v.x)
  const [before, after] = (visits.length > 1 ? visits : versions).slice(-2)
  return a && b ? [a, b] : [before, after]
}

export const pairText = (before: Version, after: Version) => `${before.key}..${after.key}`
