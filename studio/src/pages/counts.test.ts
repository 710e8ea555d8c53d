import { expect, test } from 'vitest'
import { countsOf, standingAt } from './counts'

test('figures of a workflow become counts of its steps', () => {
  const stats = { workflow: 'w', sessions: 5, status: {}, waiting: { ask: 1332 }, steps: { ask: { error: 2 }, pay: { pending: 1 } }, more: false }
  expect(countsOf(stats)).toEqual({ ask: { error: 2, awaiting_input: 1332 }, pay: { pending: 1 } })
})

test('each count opens the sessions behind it', () => {
  expect(standingAt('w', 'ask', 'awaiting_input')).toEqual({ workflow: 'w', step: 'ask', awaiting: true })
  expect(standingAt('w', 'pay', 'error').q).toBe('"pay":{"status":"error"')
})
