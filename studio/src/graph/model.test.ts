import { describe, expect, it } from 'vitest'
import type { Path, Workflow } from '../api/schema'
import { backPaths, modelOf, outlineOf } from './model'

const path = (source: string, target: string, more: Partial<Path> = {}): Path => ({ source, target, ...more })

describe('backPaths', () => {
  const closing = (ids: string[], paths: Path[]) => [...backPaths(ids, paths)].map((p) => `${p.source}>${p.target}`)
  it('is what closes a circle, from root on', () => {
    expect(closing(['a', 'b', 'root'], [path('root', 'a'), path('a', 'b'), path('b', 'a')])).toEqual(['b>a'])
  })
  it('keeps to the mark where there is one', () => {
    expect(closing(['a', 'b', 'root'], [path('root', 'a'), path('a', 'b', { back: true }), path('b', 'a')])).toEqual(['a>b'])
  })
  it('goes on from steps that nothing leads to, then from the rest in order of ids', () => {
    expect(closing(['x', 'y', 'p', 'q'], [path('p', 'q'), path('q', 'p'), path('x', 'y'), path('y', 'x')])).toEqual(['q>p', 'y>x'])
  })
  it('counts a path to itself', () => {
    expect(closing(['root'], [path('root', 'root')])).toEqual(['root>root'])
  })
})

describe('modelOf', () => {
  const workflow: Workflow = {
    id: 'w',
    steps: [{ id: 'root', function: 'variable', input: '{"value": [1]}' }, { id: 'each', function: 'iterate' }, { id: 'ask', function: 'utils.request.select' }, { id: 'tool' }],
    paths: [
      path('root', 'each'),
      path('each', 'ask', { kind: 'CONTAINS' }),
      path('ask', 'each', { kind: 'CONTAINS' }),
      path('each', 'tool', { kind: 'TOOL', name: 'look' }),
      path('ask', 'elsewhere'),
    ],
  }
  const model = modelOf(workflow)
  it('puts bodies into their containers and cuts circles of containers', () => {
    expect(model.byId.get('ask')!.parent).toBe('each')
    expect(model.byId.get('each')!.parent).toBeUndefined()
    expect(model.byId.get('each')!.container).toBe(true)
  })
  it('tells tools from paths and leaves out what leads elsewhere', () => {
    expect(model.paths.map((p) => [p.id, p.kind, p.label])).toEqual([
      ['root>each', 'NEXT', ''],
      ['each>tool', 'TOOL', 'look'],
    ])
  })
  it('lists the steps in the order in which they are met', () => {
    expect(outlineOf(model).map((o) => [o.step.id, o.depth])).toEqual([
      ['root', 0],
      ['each', 0],
      ['ask', 1],
      ['tool', 0],
    ])
  })
})
