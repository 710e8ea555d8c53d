import { expect, it } from 'vitest'
import { remedyOf } from './actions'

it('reads the commands of explanations', () => {
  expect(remedyOf('session retry s1 --step ask')).toEqual({ action: 'retry', step: 'ask' })
  expect(remedyOf('stepgraph session move s1 --from gone --to STEP')).toEqual({ action: 'move', step: 'gone' })
  expect(remedyOf('session resume s1')).toEqual({ action: 'resume', step: undefined })
  expect(remedyOf('correct the step, then: stepgraph session retry s1 --step ask')).toEqual({ action: 'retry', step: 'ask', first: 'correct the step' })
  expect(remedyOf('stepgraph session edit s1 --state FILE, or edit the step')).toEqual({ action: 'edit' })
  expect(remedyOf('session answer s1 --step ask')).toBeUndefined()
  expect(remedyOf('doctor')).toBeUndefined()
  expect(remedyOf(undefined)).toBeUndefined()
})
