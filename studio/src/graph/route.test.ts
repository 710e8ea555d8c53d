import { describe, expect, it } from 'vitest'
import { type Box, type Layout, type LayoutEdge, type LayoutNode, layout } from './layout'
import { along, drawingOf } from './route'

/** random is a generator that gives the same numbers each time. */
function random(seed: number) {
  return () => {
    seed = (seed * 1664525 + 1013904223) % 4294967296
    return seed / 4294967296
  }
}

/** graphOf draws steps, containers in containers, paths to anywhere, paths back and loops. */
function graphOf(seed: number, n: number): { nodes: LayoutNode[]; edges: LayoutEdge[] } {
  const next = random(seed)
  const pick = (most: number) => Math.floor(next() * most)
  const nodes: LayoutNode[] = []
  for (let i = 0; i < n; i++) {
    const parent = i > 2 && next() < 0.25 ? `s${1 + pick(i - 1)}` : undefined
    nodes.push({ id: `s${i}`, parent })
  }
  const edges: LayoutEdge[] = []
  const add = (a: number, b: number) => edges.push({ id: `p${edges.length}`, source: `s${a}`, target: `s${b}`, back: b <= a, labelled: next() < 0.4 })
  for (let i = 1; i < n; i++) add(pick(i), i)
  for (let i = 0; i < n / 2; i++) add(pick(n), pick(n))
  return { nodes, edges }
}

function absolute(nodes: LayoutNode[], layout: Layout): Map<string, Box> {
  const parents = new Map(nodes.map((n) => [n.id, n.parent]))
  const of = (id: string): Box => {
    const parent = parents.get(id)
    const base = parent ? of(parent) : { x: 0, y: 0 }
    const box = layout.boxes[id]
    return { ...box, x: box.x + base.x, y: box.y + base.y }
  }
  return new Map(nodes.map((n) => [n.id, of(n.id)]))
}

/** crossings lists paths that run over a card which is neither an end nor around one. */
function crossings(nodes: LayoutNode[], edges: LayoutEdge[]): string[] {
  const placed = layout(nodes, edges)
  const at = absolute(nodes, placed)
  const parents = new Map(nodes.map((n) => [n.id, n.parent]))
  const around = (id: string) => {
    const all = new Set([id])
    for (let p = parents.get(id); p; p = parents.get(p)) all.add(p)
    return all
  }
  const found: string[] = []
  for (const e of edges) {
    const route = placed.routes[e.id]
    if (!route) {
      if (!around(e.source).has(e.target) && !around(e.target).has(e.source)) found.push(`${e.id} ${e.source}>${e.target} has no route`)
      continue
    }
    const own = new Set([...around(e.source), ...around(e.target)])
    for (const p of along(route.points)) {
      for (const [id, b] of at) {
        if (own.has(id) && !(id === e.source || id === e.target)) continue
        const ends = id === e.source || id === e.target ? 1 : 0
        if (p.x > b.x + ends && p.x < b.x + b.width - ends && p.y > b.y + ends && p.y < b.y + b.height - ends) found.push(`${e.id} ${e.source}>${e.target}${e.back ? ' back' : ''} crosses ${id}`)
      }
    }
    for (const p of route.points) if (p.y > placed.height || p.x > placed.width + 1) found.push(`${e.id} leaves the canvas`)
  }
  return [...new Set(found)]
}

describe('routes', () => {
  it('a path round a card between its ends', () => {
    const nodes = ['root', 'confirm', 'order'].map((id) => ({ id }))
    const edges = [['root', 'order'], ['root', 'confirm'], ['confirm', 'order']].map(([source, target]) => ({ id: source + target, source, target, back: false, labelled: true }))
    expect(crossings(nodes, edges)).toEqual([])
  })

  it.each(Array.from({ length: 80 }, (_, i) => i))('no path crosses a card that is not its own: graph %i', (seed) => {
    const { nodes, edges } = graphOf(seed, 4 + (seed % 30))
    expect(crossings(nodes, edges)).toEqual([])
  })

  it('nor in a graph of 300 steps, which is laid out otherwise', () => {
    const { nodes, edges } = graphOf(7, 300)
    for (const n of nodes) n.parent = undefined
    expect(crossings(nodes, edges)).toEqual([])
  })

  it('labels of one step stand apart', () => {
    const nodes = Array.from({ length: 6 }, (_, i) => ({ id: `s${i}` }))
    const edges = [1, 2, 3, 4, 5].map((i) => ({ id: `p${i}`, source: 's0', target: `s${i}`, back: false, labelled: true }))
    const labels = Object.values(layout(nodes, edges).routes).map((r) => r.label.y).sort((a, b) => a - b)
    for (let i = 1; i < labels.length; i++) expect(labels[i] - labels[i - 1]).toBeGreaterThanOrEqual(20)
  })

  it('draws corners round and rises as curves', () => {
    expect(drawingOf([{ x: 0, y: 0 }, { x: 40, y: 20 }, { x: 80, y: 20 }])).toBe('M 0 0 C 20 0 20 20 40 20 L 80 20')
    expect(drawingOf([{ x: 0, y: 0 }, { x: 0, y: 40 }, { x: 40, y: 40 }])).toBe('M 0 0 L 0 28 Q 0 40 12 40 L 40 40')
  })
})
