import { expect, it } from 'vitest'
import { mendOf } from './actions'

it('reads the commands of explanations', () => {
  expect(mendOf('session retry s1 --step ask')).toEqual({ action: 'retry', step: 'ask' })
  expect(mendOf('stepgraph session move s1 --from gone --to STEP')).toEqual({ action: 'move', step: 'gone' })
  expect(mendOf('session resume s1')).toEqual({ action: 'resume', step: undefined })
  expect(mendOf('session answer s1 --step ask')).toBeUndefined()
  expect(mendOf('doctor')).toBeUndefined()
  expect(mendOf(undefined)).toBeUndefined()
})
