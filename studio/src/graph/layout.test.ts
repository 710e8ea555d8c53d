import { describe, expect, it } from 'vitest'
import { type Box, GRID, type LayoutEdge, type LayoutNode, layout, rows } from './layout'

const edge = (source: string, target: string, more: Partial<LayoutEdge> = {}): LayoutEdge => ({ id: `${source}>${target}`, source, target, back: false, labelled: false, ...more })

function apart(a: Box, b: Box): boolean {
  return a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y
}

function overlaps(list: Box[]): [number, number][] {
  const found: [number, number][] = []
  for (let i = 0; i < list.length; i++) for (let j = i + 1; j < list.length; j++) if (!apart(list[i], list[j])) found.push([i, j])
  return found
}

function chain(n: number): { nodes: LayoutNode[]; edges: LayoutEdge[] } {
  const nodes = Array.from({ length: n }, (_, i) => ({ id: `s${i}` }))
  const edges: LayoutEdge[] = []
  for (let i = 0; i + 1 < n; i++) {
    edges.push(edge(`s${i}`, `s${i + 1}`))
    if (i % 3 === 0 && i + 2 < n) edges.push(edge(`s${i}`, `s${i + 2}`))
    if (i % 7 === 6) edges.push(edge(`s${i}`, `s${i - 4}`, { back: true }))
  }
  return { nodes, edges }
}

describe('layout', () => {
  it('leaves room for a label only where there is one', () => {
    const nodes = ['a', 'b', 'c', 'd', 'far'].map((id) => ({ id }))
    const { boxes, width } = layout(nodes, [edge('a', 'b'), edge('b', 'c', { labelled: true }), edge('b', 'far'), edge('c', 'd'), edge('d', 'b', { back: true, labelled: true })])
    const between = (x: string, y: string) => boxes[y].x - boxes[x].x - boxes[x].width
    expect(between('a', 'b')).toBeLessThan(100)
    expect(between('b', 'c')).toBeGreaterThan(180)
    expect(between('c', 'd')).toBeLessThan(100)
    expect(boxes.d.x + boxes.d.width).toBe(width)
  })

  it.each([1, 12, 180, 500])('keeps %i cards apart, on the grid, from left to right', (n) => {
    const { nodes, edges } = chain(n)
    const { boxes, width, height } = layout(nodes, edges)
    const list = Object.values(boxes)
    expect(list).toHaveLength(n)
    for (const b of list) {
      expect(b.x % GRID).toBe(0)
      expect(b.y % GRID).toBe(0)
      expect(b.x + b.width).toBeLessThanOrEqual(width)
      expect(b.y + b.height).toBeLessThanOrEqual(height)
    }
    expect(overlaps(list)).toEqual([])
    for (const e of edges) if (!e.back) expect(boxes[e.source].x).toBeLessThan(boxes[e.target].x)
  })

  it('puts bodies inside their containers', () => {
    const nodes = [{ id: 'root' }, { id: 'box' }, { id: 'in', parent: 'box' }, { id: 'deep', parent: 'in' }, { id: 'two', parent: 'box' }, { id: 'end' }]
    const { boxes } = layout(nodes, [edge('root', 'box'), edge('in', 'two'), edge('two', 'end'), edge('box', 'end')])
    for (const [child, parent] of [['in', 'box'], ['two', 'box'], ['deep', 'in']]) {
      expect(boxes[child].x).toBeGreaterThan(0)
      expect(boxes[child].x + boxes[child].width).toBeLessThan(boxes[parent].width)
      expect(boxes[child].y + boxes[child].height).toBeLessThan(boxes[parent].height)
    }
    expect(apart(boxes.in, boxes.two)).toBe(true)
    expect(boxes.box.x).toBeLessThan(boxes.end.x)
  })

  it('gives the same places each time', () => {
    const { nodes, edges } = chain(300)
    expect(layout(nodes, edges)).toEqual(layout(nodes, edges))
  })

  it('places 2,000 steps with dense crossings in less than the time limit of the page', () => {
    const nodes = Array.from({ length: 2000 }, (_, i) => ({ id: `s${i}` }))
    const edges = Array.from({ length: 5000 }, (_, i) => edge(`s${(i * 7919) % 1000}`, `s${1000 + ((i * 104729) % 1000)}`))
    const start = performance.now()
    layout(nodes, edges)
    expect(performance.now() - start).toBeLessThan(3000)
  })

  it('has rows when there is no time', () => {
    const list = Object.values(rows(chain(30).nodes).boxes)
    expect(overlaps(list)).toEqual([])
  })
})
