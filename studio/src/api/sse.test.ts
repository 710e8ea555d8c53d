import { expect, it } from 'vitest'
import { EventReader } from './sse'

const text = 'retry: 1000\n\nevent: step\nid: 1-2-3\ndata: {"step":"a"}\n\n: alive\n\nevent: token\ndata: one\ndata: two\n\n'

it.each([1, 3, 7, 1000])('reads events from pieces of %i characters', (size) => {
  const reader = new EventReader()
  const got = []
  for (let i = 0; i < text.length; i += size) got.push(...reader.feed(text.slice(i, i + size)))
  expect(got).toEqual([
    { type: 'step', id: '1-2-3', data: '{"step":"a"}' },
    { type: 'token', id: '', data: 'one\ntwo' },
  ])
})
