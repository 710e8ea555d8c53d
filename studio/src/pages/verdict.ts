import type { Clause, ConditionResult } from '../api/schema'

/** What a condition comes to. Without a value it is not false in disguise. */
export type Verdict = 'true' | 'false' | 'unresolved'

/** lacks reports whether something that a clause needs has no value. */
function lacks(c: Clause): boolean {
  return c.values?.length ? c.values.some((v) => v.value === undefined) : c.value === undefined
}

export function verdictOfClause(c: Clause): Verdict {
  return c.result ? 'true' : lacks(c) ? 'unresolved' : 'false'
}

/** verdictOf is unresolved where a missing value decides: one that OR could still need, or that is all that keeps AND from being true. */
export function verdictOf(judged: ConditionResult, operator?: string): Verdict {
  if (judged.result) return 'true'
  if (judged.error) return 'false'
  const refused = judged.clauses.map(verdictOfClause).filter((v) => v !== 'true')
  if (refused.length === 0) return 'false'
  const open = operator?.toUpperCase() === 'OR' ? refused.includes('unresolved') : refused.every((v) => v === 'unresolved')
  return open ? 'unresolved' : 'false'
}

export const VERDICTS: Record<Verdict, string> = { true: 'true', false: 'false', unresolved: 'no value' }
