import { expect, test } from 'vitest'
import { modelOf } from '../graph/model'
import { Places, spanOf } from './window'

const model = modelOf({
  id: 'w',
  steps: Array.from({ length: 100 }, (_, i) => ({ id: `s${i}` })),
  paths: [...Array.from({ length: 99 }, (_, i) => ({ source: `s${i}`, target: `s${i + 1}` })), { source: 's0', target: 's99' }],
})
const at = new Map(model.steps.map((s, i) => [s.id, { x: i * 320, y: 0, width: 224, height: 80 }]))

test('a view holds the steps in it, their neighbours and the paths that cross it', () => {
  const places = new Places(model, at, { routes: {} })
  const got = places.within(spanOf([-3200, 0, 1], 960, 600))
  expect([...got.steps]).toEqual(['s9', 's10', 's11', 's12', 's13', 's14'])
  expect(got.paths.has('s10>s11')).toBe(true)
  expect(got.paths.has('s0>s99'), 'the long path passes behind').toBe(true)
  expect(got.paths.has('s40>s41')).toBe(false)
})

test('a view changes what it holds only when it enters another cell', () => {
  expect(spanOf([-10, 0, 1], 900, 600)).toEqual(spanOf([-40, 0, 1], 900, 600))
  expect(spanOf([-10, 0, 1], 900, 600)).not.toEqual(spanOf([-340, 0, 1], 900, 600))
})
