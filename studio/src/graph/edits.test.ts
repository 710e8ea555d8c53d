import { expect, it } from 'vitest'
import { editsOf, valueOf } from './edits'
import { modelOf } from './model'

const steps = [
  { id: 'a', function: 'reply', name: 'Ask', input: '{"message": "hi", "to": 1}', x: 1, y: 1 },
  { id: 'b', function: 'reply' },
  { id: 'c', function: 'reply' },
]
const path = (source: string, target: string, condition?: string) => ({ source, target, kind: 'NEXT', condition })
const of = (s: object[], p: object[]) => modelOf({ id: 'w', steps: s, paths: p } as never)
const before = of(steps, [path('a', 'b', 'when 1 == 1'), path('a', 'c')])

it('says field by field what changed, and what stood on a path', () => {
  const after = of([{ ...steps[0], input: '{"to": 1, "message": "bye"}' }, ...steps.slice(1)], [path('a', 'b', 'when 1 == 2'), path('a', 'c')])
  const edits = editsOf(before, after)!
  expect(edits.all.map((e) => [e.kind, e.title, e.change])).toEqual([
    ['step', 'Ask', 'changed'],
    ['path', 'Ask → b', 'changed'],
  ])
  expect(edits.steps.a.fields).toEqual([{ path: 'input.message', kind: 'changed', before: 'hi', after: 'bye' }])
  expect(edits.paths['a>b'].label).toEqual(['1 is 1', '1 is 2'])
  const labelled = (condition: string) => of(steps, [{ ...path('a', 'b', condition), label: 'yes' }])
  expect(editsOf(labelled('when 1 == 1'), labelled('when 1 == 3'))!.paths['a>b'].label, 'its label is the same').toEqual(['1 is 1', '1 is 3'])
})

it('knows what is new and what is gone, and says nothing of a step that was only moved', () => {
  const after = of([{ ...steps[0], x: 9 }, steps[1], { id: 'd', function: 'reply' }], [path('a', 'b', 'when 1 == 1'), path('b', 'd')])
  expect(editsOf(before, after)!.all.map((e) => `${e.change} ${e.title}`)).toEqual(['added d', 'removed c', 'added b → d', 'removed Ask → c'])
  expect(editsOf(before, of([{ ...steps[0], x: 9, y: 9 }, ...steps.slice(1)], [path('a', 'b', 'when 1 == 1'), path('a', 'c')]))).toBeUndefined()
  expect([valueOf('{"a": 1}'), valueOf('{{not json'), valueOf('[1'), valueOf(3)]).toEqual([{ a: 1 }, '{{not json', '[1', 3])
})
