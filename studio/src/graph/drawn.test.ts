import { describe, expect, it } from 'vitest'
import { absolute } from '../canvas/places'
import { drawn } from './drawn'
import { modelOf } from './model'
import { along } from './route'

const step = (id: string, x: number, y: number) => ({ id, x, y })

/** crossings names the cards that each path runs over. */
function crossings(model: ReturnType<typeof modelOf>): string[] {
  const layout = drawn(model)
  const at = absolute(model, layout)
  const found: string[] = []
  for (const p of model.paths) {
    for (const [id, c] of at) {
      if (id === p.source || id === p.target || model.children.has(id)) continue
      if (along(layout.routes[p.id].points).some((q) => q.x > c.x && q.x < c.x + c.width && q.y > c.y && q.y < c.y + c.height)) found.push(`${p.id} over ${id}`)
    }
  }
  return found
}

describe("an author's layout", () => {
  it('keeps a plain curve where nothing is between', () => {
    const model = modelOf({ id: 'w', steps: [step('a', 0, 0), step('b', 400, 120)], paths: [{ source: 'a', target: 'b' }] })
    expect(drawn(model).routes['a>b'].points).toEqual([{ x: 224, y: 40 }, { x: 400, y: 160 }])
  })

  it('goes around the cards between, in the same row and backwards', () => {
    const model = modelOf({
      id: 'w',
      steps: [step('a', 0, 0), step('b', 300, 0), step('c', 600, 0), step('d', 900, 10), step('e', 300, 140)],
      paths: [{ source: 'a', target: 'b' }, { source: 'b', target: 'c' }, { source: 'c', target: 'd' }, { source: 'a', target: 'd' }, { source: 'd', target: 'a', back: true }, { source: 'c', target: 'e' }],
    })
    expect(crossings(model)).toEqual([])
  })

  it('begins at nought although its author began left of it', () => {
    const model = modelOf({ id: 'w', steps: [step('a', -300, -200), step('b', 100, 0)], paths: [{ source: 'a', target: 'b' }] })
    const { boxes, width } = drawn(model)
    expect(boxes.a).toMatchObject({ x: 0, y: 0 })
    expect(width).toBe(400 + 224)
  })

  it('crosses nothing in a random field of cards with room between them', () => {
    let seed = 7
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647
    const steps = Array.from({ length: 40 }, (_, i) => step(`s${i}`, (i % 8) * 320 + Math.floor(random() * 40), Math.floor(i / 8) * 180 + Math.floor(random() * 40)))
    const paths = Array.from({ length: 30 }, () => ({ source: `s${Math.floor(random() * 40)}`, target: `s${Math.floor(random() * 40)}` })).filter((p) => p.source !== p.target && Number(p.source.slice(1)) % 8 < Number(p.target.slice(1)) % 8)
    const model = modelOf({ id: 'w', steps, paths: [...new Map(paths.map((p) => [p.source + p.target, p])).values()] })
    expect(crossings(model)).toEqual([])
  })
})
