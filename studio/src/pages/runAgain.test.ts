import { describe, expect, it } from 'vitest'
import { modelOf } from '../graph/model'
import { before, behind, endsAt, newestOf } from './runAgain'

const model = modelOf({
  id: 'w',
  steps: ['root', 'a', 'b', 'c', 'tool', 'far'].map((id) => ({ id })),
  paths: [
    { source: 'root', target: 'a' },
    { source: 'root', target: 'b' },
    { source: 'a', target: 'c' },
    { source: 'b', target: 'c' },
    { source: 'c', target: 'a' },
    { kind: 'TOOL', source: 'a', target: 'tool' },
  ],
} as never)

describe('behind', () => {
  it('is what paths lead to, the nearest first, once each, loops and tools aside', () => {
    expect(behind(model, 'root')).toEqual(['a', 'b', 'c'])
    expect(behind(model, 'c')).toEqual(['a'])
    expect(behind(model, 'far')).toEqual([])
    expect(behind(undefined, 'root')).toEqual([])
  })
})

it('before is where a session ends that stops before a step', () => {
  expect(before(model, 'c').sort()).toEqual(['a', 'b'])
  expect(before(model, 'root')).toEqual([])
})

it('endsAt is a finished step of those the session was to go up to', () => {
  expect(endsAt({ engine: { until: ['a', 'b'] }, workflow: { a: { status: 'complete' }, b: { status: 'active' } } })).toEqual(['a'])
  expect(endsAt({ engine: {} })).toEqual([])
  expect(endsAt(undefined)).toEqual([])
})

it('newestOf takes the newest of each list, and an output that is none', () => {
  expect(newestOf({ a: [1, 2], b: { x: 1 }, c: [], d: [null] })).toEqual({ a: 2, b: { x: 1 }, d: null })
})
