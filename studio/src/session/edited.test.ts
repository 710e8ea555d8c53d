import { expect, it } from 'vitest'
import type { Execution, LogEntry } from '../api/schema'
import { editedAfter, editedSteps, textsOf } from './edited'

const ran = (step: string, definition?: string) => ({ step, definition }) as Execution
const text = (step: string, hash: string, current: boolean) => ({ step, hash, current }) as LogEntry

it('finds the steps whose newest visit ran another text than they have now', () => {
  const texts = textsOf([text('a', '1', false), text('a', '2', true), text('b', '1', true), text('c', '1', false)])
  expect(editedSteps(texts, [ran('a', '1'), ran('b', '1'), ran('c', '1')])).toEqual({ a: true, c: true })
  expect(editedSteps(texts, [ran('a', '1'), ran('a', '2')]), 'the newest visit counts').toEqual({})
  expect(editedAfter(texts, ran('a', '1')), 'of a visit its own text counts').toBe(true)
})

it('says nothing where the text is not known', () => {
  const texts = textsOf([text('a', '1', false)])
  expect(editedSteps(texts, [ran('a'), ran('a', '9'), ran('gone', '1')])).toEqual({})
})
