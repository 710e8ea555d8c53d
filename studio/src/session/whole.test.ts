import { expect, it } from 'vitest'
import { cutOf, wholeOf } from './whole'

it('tells a shortened value from an object that has a field of the same name', () => {
  expect(cutOf({ cut: true, hash: 'ab', bytes: 9, head: '{"a"' })).toEqual({ hash: 'ab', bytes: 9, head: '{"a"' })
  expect(cutOf({ '@blob': 'ab', bytes: 9 })).toEqual({ hash: 'ab', bytes: 9, head: '' })
  expect(cutOf({ cut: true })).toBeUndefined()
  expect(cutOf([1])).toBeUndefined()
  expect(cutOf('cut')).toBeUndefined()
})

it('finds the whole value in the lines of a document', () => {
  const lines = ['{"session":{"id":"s","note":"ab"}}', '{"blob":{"hash":"cd","text":"\\"x\\""}}', '{"blob":{"hash":"ab","text":"{\\"a\\":[1]}"}}', '{"end":"s"}'].join('\n')
  expect(wholeOf(lines, 'ab')).toEqual({ a: [1] })
  expect(wholeOf(lines, 'cd')).toBe('x')
  expect(wholeOf(lines, 'ef')).toBeUndefined()
})
