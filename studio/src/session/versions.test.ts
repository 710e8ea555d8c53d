import { describe, expect, it } from 'vitest'
import type { Execution } from '../api/schema'
import { outputsOf, pairOf, pairText, versionsOf } from './versions'

const visit = (seq: number) => ({ seq, step: 'a', visit: seq, output: seq }) as unknown as Execution
const keys = (text?: string, visits = [1, 4, 9], kept: unknown[] = ['x', 'y']) => pairOf(versionsOf(visits.map(visit), kept), text)?.map((v) => v.key)

describe('pairOf', () => {
  it('reads what the address names, visits and kept outputs alike', () => {
    expect(keys('1..9')).toEqual([1, 9])
    expect(keys('9..1')).toEqual([9, 1])
    expect(keys('4..-1')).toEqual([4, -1])
    expect(keys('-2..-1')).toEqual([-2, -1])
  })
  it('is the newest two visits where the address names none that exist', () => {
    for (const text of [undefined, '', '1..2', 'x..y', '1', '1..9..4']) expect(keys(text)).toEqual([4, 9])
  })
  it('falls back to kept outputs where the history keeps fewer than two visits', () => {
    expect(keys(undefined, [])).toEqual([-2, -1])
    expect(keys(undefined, [4], ['x'])).toEqual([4, -1])
    expect(keys(undefined, [4], [])).toBeUndefined()
  })
  it('is read back as it was written', () => {
    const all = versionsOf([visit(1), visit(4)], ['x'])
    expect(pairOf(all, pairText(all[0], all[2]))).toEqual([all[0], all[2]])
  })
})

it('outputsOf takes a list, one output, and none', () => {
  expect(outputsOf({ a: [1, 2] }, 'a')).toEqual([1, 2])
  expect(outputsOf({ a: { n: 1 } }, 'a')).toEqual([{ n: 1 }])
  expect(outputsOf({}, 'toString')).toEqual([])
  expect(outputsOf(undefined, 'a')).toEqual([])
})
