import { expect, it } from 'vitest'
import type { ConditionResult } from '../api/schema'
import { verdictOf, verdictOfClause } from './verdict'

const clause = (result: boolean, value?: unknown) => ({ path: '', operand: '@{SESSION_ID}.a', result, ...(value === undefined ? {} : { value }) })
const of = (result: boolean, ...clauses: object[]) => ({ result, clauses }) as unknown as ConditionResult

it('a clause without a value is neither true nor false', () => {
  expect(verdictOfClause(clause(false) as never)).toBe('unresolved')
  expect(verdictOfClause(clause(false, null) as never)).toBe('false')
  expect(verdictOfClause(clause(true) as never)).toBe('true')
  expect(verdictOfClause({ ...clause(false, 1), values: [{ reference: 'a', value: 1 }, { reference: 'b' }] } as never)).toBe('unresolved')
})

it('a condition is unresolved only where the missing value decides', () => {
  expect(verdictOf(of(true, clause(false), clause(true, 1)), 'OR')).toBe('true')
  expect(verdictOf(of(false, clause(true, 1), clause(false)))).toBe('unresolved')
  expect(verdictOf(of(false, clause(false, 0), clause(false)))).toBe('false')
  expect(verdictOf(of(false, clause(false, 0), clause(false)), 'or')).toBe('unresolved')
  expect(verdictOf(of(false))).toBe('false')
  expect(verdictOf({ ...of(false, clause(false)), error: 'does not parse' })).toBe('false')
})
