import { expect, it } from 'vitest'
import { blocksOf, inlineOf, isMarkdown } from './markdown'

it('reads what models write', () => {
  expect(blocksOf('# Plan\nFirst line\nsecond **bold** line\n\n- one\n- `two`\n\n3. three\n4. four\n> said\n```go\nx := 1\n\n```\nend')).toEqual([
    { kind: 'heading', level: 1, inline: [{ kind: 'text', text: 'Plan' }] },
    { kind: 'paragraph', lines: [[{ kind: 'text', text: 'First line' }], [{ kind: 'text', text: 'second ' }, { kind: 'strong', text: 'bold' }, { kind: 'text', text: ' line' }]] },
    { kind: 'list', ordered: false, start: 1, items: [[{ kind: 'text', text: 'one' }], [{ kind: 'code', text: 'two' }]] },
    { kind: 'list', ordered: true, start: 3, items: [[{ kind: 'text', text: 'three' }], [{ kind: 'text', text: 'four' }]] },
    { kind: 'quote', lines: [[{ kind: 'text', text: 'said' }]] },
    { kind: 'code', text: 'x := 1\n', language: 'go' },
    { kind: 'paragraph', lines: [[{ kind: 'text', text: 'end' }]] },
  ])
})

it('leaves what only looks like Markdown as it is', () => {
  for (const text of ['2 * 3 * 4', 'a_b_c and snake_case', '**', '* ', '<b>x</b>', '[x](javascript:alert(1))', 'a ** b ** c']) {
    expect(inlineOf(text).map((i) => i.text).join('')).toBe(text)
    expect(inlineOf(text).every((i) => i.kind === 'text'), text).toBe(true)
  }
})

it('links only what a browser fetches', () => {
  expect(inlineOf('see https://example.org/a?b=1. And [this](https://example.org)')).toEqual([
    { kind: 'text', text: 'see ' },
    { kind: 'link', text: 'https://example.org/a?b=1', href: 'https://example.org/a?b=1' },
    { kind: 'text', text: '. And ' },
    { kind: 'link', text: 'this', href: 'https://example.org' },
  ])
})

it('shows a code block that is not closed yet, as while a reply is being written', () => {
  expect(blocksOf('```\nhalf')).toEqual([{ kind: 'code', text: 'half', language: '' }])
})

it('takes a long text in little time', () => {
  const text = ('**a* `b [c](' + '*'.repeat(50) + ' _x').repeat(2000)
  const began = performance.now()
  blocksOf(text)
  expect(performance.now() - began).toBeLessThan(2000)
})

it('knows which texts look otherwise as they were written', () => {
  for (const text of ['# A', '- a', '1. a', '> a', '```\na\n```', 'a **b** c', '`a`', 'see [it](https://a.example)']) expect(isMarkdown(text), text).toBe(true)
  for (const text of ['', 'a', 'a\nb\n\nc', 'at https://a.example.', '2 * 3 * 4']) expect(isMarkdown(text), text).toBe(false)
})
