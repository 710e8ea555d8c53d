import { describe, expect, it } from 'vitest'
import { changesOf } from './valueDiff'

describe('changesOf', () => {
  it('finds nothing in equal values, whatever the order of fields', () => {
    expect(changesOf({ a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 })).toEqual([])
    expect(changesOf(undefined, undefined)).toEqual([])
    expect(changesOf(null, null)).toEqual([])
  })
  it('names each place: changed, added, removed', () => {
    expect(changesOf({ a: { b: 1, gone: true }, same: 'x' }, { a: { b: 2 }, same: 'x', more: null })).toEqual([
      { path: 'a.b', kind: 'changed', before: 1, after: 2 },
      { path: 'a.gone', kind: 'removed', before: true },
      { path: 'more', kind: 'added', after: null },
    ])
  })
  it('tells a value from its text, and an absent field from null', () => {
    expect(changesOf(1, '1')).toEqual([{ path: '', kind: 'changed', before: 1, after: '1' }])
    expect(changesOf({ a: null }, {})).toEqual([{ path: 'a', kind: 'removed', before: null }])
    expect(changesOf([1], { 0: 1 })).toHaveLength(1)
  })
  it('does not call the rest of a list changed when one element came or went', () => {
    expect(changesOf(['a', 'b', 'c'], ['b', 'c', 'd'])).toEqual([
      { path: '[0]', kind: 'removed', before: 'a' },
      { path: '[2]', kind: 'added', after: 'd' },
    ])
  })
  it('looks into an element that took the place of another', () => {
    expect(changesOf([{ id: 1, n: 1 }, { id: 2, n: 1 }], [{ id: 1, n: 1 }, { id: 2, n: 5 }])).toEqual([{ path: '[1].n', kind: 'changed', before: 1, after: 5 }])
  })
  it('writes names that are not plain as texts', () => {
    expect(changesOf({ 'a b': { 'x.y': 1 } }, { 'a b': { 'x.y': 2 } })[0].path).toBe('["a b"]["x.y"]')
    expect(changesOf({ __proto__: 1 } as object, JSON.parse('{"__proto__": 2, "toString": 1}') as object).map((c) => c.path)).toEqual(['__proto__', 'toString'])
  })
  it('pairs very long lists by their index', () => {
    const long = Array.from({ length: 3000 }, (_, i) => i)
    expect(changesOf(long, long.map((n) => n + 0.5))).toHaveLength(3000)
  })
})
