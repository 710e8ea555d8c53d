import { expect, it } from 'vitest'
import { diffLines, near } from './diff'

const words = (a: string, b: string) => diffLines(a, b).map((l) => ({ same: ' ', old: '-', new: '+' })[l.kind] + l.text)

it('keeps what is common', () => {
  expect(words('a\nb\nc', 'a\nx\nc')).toEqual([' a', '-b', '+x', ' c'])
  expect(words('a\nb\nc\nd', 'b\nd\ne')).toEqual(['-a', ' b', '-c', ' d', '+e'])
  expect(words('a', 'a')).toEqual([' a'])
})

it('leaves out what is far from a change', () => {
  const before = Array.from({ length: 20 }, (_, i) => String(i)).join('\n')
  const got = near(diffLines(before, before.replace('10', 'ten')), 1).map((l) => l.text)
  expect(got).toEqual(['…', '9', '10', 'ten', '11', '…'])
})
