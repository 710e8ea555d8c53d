import { expect, it } from 'vitest'
import { differenceWords, messageWithoutPlace, offsetOf, read } from './importText'

it('finds a line and a column in bytes', () => {
  const text = 'ab\nä€😀x\n'
  expect(offsetOf(text, 1)).toBe(0)
  expect(offsetOf(text, 2, 1)).toBe(3)
  expect(text.slice(offsetOf(text, 2, 10))).toBe('x\n') // 2 + 3 + 4 bytes before it
  expect(offsetOf(text, 2, 99)).toBe(text.indexOf('x') + 1)
  expect(offsetOf(text, 9)).toBe(text.length)
})

it('shows a fault without the place that is shown beside it', () => {
  expect(messageWithoutPlace({ line: 2, message: 'a.cypher:2:9: unexpected ")"' })).toBe('unexpected ")"')
  expect(messageWithoutPlace({ line: 2, pointer: '/steps/0', message: 'my file: v2.json:2:12: /steps/0: id is missing' })).toBe('id is missing')
  expect(messageWithoutPlace({ line: 3, message: 'a.json:3: ends early' })).toBe('ends early')
  expect(messageWithoutPlace({ message: 'ratio 1:2: wrong' })).toBe('ratio 1:2: wrong')
})

it('says what changes', () => {
  const none = { added: [], changed: [], removed: [] }
  expect(differenceWords({ workflow: 'w', steps: { ...none, added: ['a', 'b'] }, paths: { ...none, removed: ['a>b'] } })).toBe('2 steps added, 1 path removed')
  expect(differenceWords({ workflow: 'w', steps: none, paths: none })).toBe('nothing changes')
})

it('refuses a file that is not UTF-8 and drops a byte order mark', async () => {
  await expect(read(new File([new Uint8Array([0xff, 0xfe, 0x41])], 'a.cypher'))).rejects.toThrow('a.cypher is not a text in UTF-8.')
  expect(await read(new File(['\uFEFF{}'], 'a.json'))).toBe('{}')
})
