import { expect, test } from 'vitest'
import { type StepRun, idle } from '../session/run'
import { wordsOf } from './announce'

const at = (status: StepRun['status'], more: Partial<StepRun> = {}): StepRun => ({ ...idle, status, ...more })

test('a few changes are named, many are counted, and who waits is always named', () => {
  expect(wordsOf(undefined, { a: at('active') }, { a: at('complete'), b: at('awaiting_input') })).toBe('a: complete. b: waiting for an answer')
  expect(wordsOf(undefined, { a: at('active') }, { a: at('active') })).toBe('')
  const many = Object.fromEntries(['a', 'b', 'c', 'd'].map((id) => [id, at('complete')]))
  expect(wordsOf(undefined, {}, { ...many, e: at('error') })).toBe('5 steps changed. e: failed')
  expect(wordsOf(undefined, {}, { loop: at('active', { round: 2 }) })).toBe('loop: running, round 2')
})
