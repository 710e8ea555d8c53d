import dagre from '@dagrejs/dagre'
import { type Hints, type Point, type Route, Router, roomBelow } from './route'

/** Sizes on the canvas; all are multiples of the grid. */
export const GRID = 16
export const CARD = { width: 224, height: 80 }
const PAD = { top: 64, side: 32, bottom: 32 }
const GAP = { rank: 80, labelled: 192, node: 32, path: 24 }
/** Above so many steps side by side dagre takes longer than a person waits. */
const DAGRE_MOST = 200

export interface LayoutNode {
  id: string
  parent?: string
}

export interface LayoutEdge {
  id: string
  source: string
  target: string
  back: boolean
  labelled: boolean
}

/** A box is relative to its container's corner, as the canvas wants it. */
export interface Box {
  x: number
  y: number
  width: number
  height: number
}

export interface Layout {
  boxes: Record<string, Box>
  /** By path, on the whole canvas; a path that has none is drawn from end to end. */
  routes: Record<string, Route>
  width: number
  height: number
}

interface Item {
  id: string
  width: number
  height: number
}

/**
 * layout places each container's body by itself and then the container as one box, so a path
 * that leaves a container counts as one from the container. One pass over the whole graph
 * would need a compound layout, which dagre answers with errors where paths end at containers.
 */
export function layout(nodes: LayoutNode[], edges: LayoutEdge[]): Layout {
  const parents = new Map(nodes.map((n) => [n.id, n.parent]))
  const bodies = new Map<string, string[]>()
  for (const n of nodes) {
    const key = n.parent ?? ''
    const list = bodies.get(key)
    if (list) list.push(n.id)
    else bodies.set(key, [n.id])
  }
  const boxes: Record<string, Box> = {}
  const chain = (id: string) => {
    const above = [id]
    for (let p = parents.get(id); p; p = parents.get(p)) above.push(p)
    return above
  }
  const inner = new Map<string, LayoutEdge[]>()
  const routed: { edge: LayoutEdge; level: string; source: string; target: string }[] = []
  for (const e of edges) {
    const lifted = lift(chain(e.source), chain(e.target), parents)
    if (lifted) routed.push({ edge: e, ...lifted })
    if (!lifted || lifted.source === lifted.target) continue
    const list = inner.get(lifted.level)
    const edge = { ...e, source: lifted.source, target: lifted.target }
    if (list) list.push(edge)
    else inner.set(lifted.level, [edge])
  }
  const hints = new Map<string, Hints>()
  const place = (level: string): { width: number; height: number } => {
    const items: Item[] = (bodies.get(level) ?? []).map((id) => {
      if (!bodies.has(id)) return { id, ...CARD }
      const size = place(id)
      return { id, width: size.width + 2 * PAD.side, height: size.height + PAD.top + PAD.bottom }
    })
    const flat = placeFlat(items, inner.get(level) ?? [])
    const dx = level ? PAD.side : 0
    const dy = level ? PAD.top : 0
    for (const item of items) {
      const at = flat.at.get(item.id)!
      boxes[item.id] = { x: at.x + dx, y: at.y + dy, width: item.width, height: item.height }
    }
    hints.set(level, new Map([...flat.hints].map(([id, points]) => [id, points.map((p) => ({ x: p.x + dx, y: p.y + dy }))])))
    return flat
  }
  const size = place('')
  return { boxes, ...size, routes: routesOf(boxes, parents, hints, routed) }
}

/** routesOf finds the way of each path once all cards have their places. */
function routesOf(boxes: Record<string, Box>, parents: Map<string, string | undefined>, hints: Map<string, Hints>, routed: { edge: LayoutEdge; level: string; source: string; target: string }[]): Record<string, Route> {
  const at = new Map<string, Box & { id: string }>()
  const of = (id: string): Box & { id: string } => {
    const known = at.get(id)
    if (known) return known
    const parent = parents.get(id)
    const base = parent ? of(parent) : { x: 0, y: 0 }
    const box = { ...boxes[id], id, x: base.x + boxes[id].x, y: base.y + boxes[id].y }
    at.set(id, box)
    return box
  }
  for (const id of parents.keys()) of(id)
  const moved = new Map(
    [...hints].map(([level, paths]): [string, Hints] => {
      const base = level ? of(level) : { x: 0, y: 0 }
      return [level, new Map([...paths].map(([id, points]) => [id, points.map((p) => ({ x: p.x + base.x, y: p.y + base.y }))]))]
    }),
  )
  const router = new Router(at, parents, moved)
  const routes: Record<string, Route> = {}
  const span = (r: (typeof routed)[number]) => Math.abs(of(r.source).x - of(r.target).x)
  for (const r of [...routed].sort((a, b) => span(a) - span(b))) { // short paths back stay near the cards
    const route = router.route(r.edge, r.level, r.source, r.target)
    if (route) routes[r.edge.id] = route
  }
  return routes
}

/** lift finds the level on which both ends stand beside each other, and who stands for them there. */
function lift(source: string[], target: string[], parents: Map<string, string | undefined>) {
  const above = new Map(source.map((id) => [parents.get(id) ?? '', id]))
  for (const id of target) {
    const level = parents.get(id) ?? ''
    const other = above.get(level)
    if (other !== undefined) return { level, source: other, target: id }
  }
  return undefined
}

interface Flat {
  at: Map<string, Point>
  hints: Hints
  width: number
  height: number
}

function placeFlat(items: Item[], edges: LayoutEdge[]): Flat {
  const flat = tighten(items, edges, items.length > DAGRE_MOST ? settle(items, layered(items, edges), new Map()) : settle(items, ...byDagre(items, edges)))
  const below = edges.filter((e) => e.back || flat.at.get(e.source)!.x >= flat.at.get(e.target)!.x).length
  return { ...flat, height: flat.height + roomBelow(below) }
}

function rankGap(edges: LayoutEdge[]): number {
  return edges.some((e) => e.labelled) ? GAP.labelled : GAP.rank
}

/** byDagre gives the places of cards, and where dagre has kept room for each path between them. */
function byDagre(items: Item[], edges: LayoutEdge[]): [Map<string, Point>, Hints] {
  const g = new dagre.graphlib.Graph({ multigraph: true })
  g.setGraph({ rankdir: 'LR', nodesep: GAP.node, edgesep: GAP.path, ranksep: rankGap(edges), ranker: 'network-simplex' })
  for (const item of items) g.setNode(item.id, { width: item.width, height: item.height })
  const forward = edges.filter((e) => !e.back) // paths back run below the cards and need no room between them
  for (const e of forward) g.setEdge(e.source, e.target, { weight: 1, minlen: 1 }, e.id)
  dagre.layout(g)
  const hints: Hints = new Map(forward.map((e) => [e.id, (g.edge(e.source, e.target, e.id) as { points: Point[] }).points.slice(1, -1)]))
  const at = new Map(
    items.map((item) => {
      const n = g.node(item.id)
      return [item.id, { x: n.x - item.width / 2, y: n.y - item.height / 2 }]
    }),
  )
  return [at, hints]
}

/**
 * layered is for large graphs: the longest way from the beginning is the column, the order in
 * a column follows the neighbours (four sweeps), then each card moves towards them.
 */
export function layered(items: Item[], edges: LayoutEdge[]): Map<string, { x: number; y: number }> {
  const forward = edges.filter((e) => !e.back)
  const rank = ranks(items, forward)
  const columns: Item[][] = []
  for (const item of items) (columns[rank.get(item.id)!] ??= []).push(item)
  const before = neighbours(forward, (e) => [e.target, e.source])
  const after = neighbours(forward, (e) => [e.source, e.target])
  const y = new Map<string, number>()
  const stack = (column: Item[]) => {
    let top = 0
    for (const item of column) {
      y.set(item.id, top)
      top += item.height + GAP.node
    }
  }
  columns.forEach(stack)
  for (let sweep = 0; sweep < 4; sweep++) {
    const down = sweep % 2 === 0
    for (const column of down ? columns : [...columns].reverse()) {
      const wish = wishes(column, down ? before : after, y)
      column.sort((a, b) => wish.get(a.id)! - wish.get(b.id)!)
      align(column, wish, y)
    }
  }
  const at = new Map<string, { x: number; y: number }>()
  const gap = rankGap(edges)
  let x = 0
  for (const column of columns) {
    for (const item of column) at.set(item.id, { x, y: y.get(item.id)! })
    x += Math.max(0, ...column.map((i) => i.width)) + gap
  }
  return at
}

function ranks(items: Item[], edges: LayoutEdge[]): Map<string, number> {
  const after = neighbours(edges, (e) => [e.source, e.target])
  const open = new Map(items.map((i) => [i.id, 0]))
  for (const e of edges) open.set(e.target, (open.get(e.target) ?? 0) + 1)
  const rank = new Map(items.map((i) => [i.id, 0]))
  const queue = items.filter((i) => open.get(i.id) === 0).map((i) => i.id)
  for (let i = 0; i < queue.length; i++) {
    for (const next of after.get(queue[i]) ?? []) {
      rank.set(next, Math.max(rank.get(next)!, rank.get(queue[i])! + 1))
      open.set(next, open.get(next)! - 1)
      if (open.get(next) === 0) queue.push(next)
    }
  }
  return rank
}

function neighbours(edges: LayoutEdge[], ends: (e: LayoutEdge) => [string, string]): Map<string, string[]> {
  const out = new Map<string, string[]>()
  for (const e of edges) {
    const [from, to] = ends(e)
    const list = out.get(from)
    if (list) list.push(to)
    else out.set(from, [to])
  }
  return out
}

function wishes(column: Item[], beside: Map<string, string[]>, y: Map<string, number>): Map<string, number> {
  return new Map(
    column.map((item) => {
      const near = (beside.get(item.id) ?? []).map((id) => y.get(id)!).sort((a, b) => a - b)
      return [item.id, near.length ? near[Math.floor(near.length / 2)] : y.get(item.id)!]
    }),
  )
}

/** align gives each card the place it wishes for, as near as those above it allow. */
function align(column: Item[], wish: Map<string, number>, y: Map<string, number>) {
  const tops: number[] = []
  let floor = -Infinity
  for (const item of column) {
    const top = Math.max(floor, wish.get(item.id)!)
    tops.push(top)
    floor = top + item.height + GAP.node
  }
  const drift = column.reduce((sum, item, i) => sum + tops[i] - wish.get(item.id)!, 0) / Math.max(1, column.length)
  column.forEach((item, i) => y.set(item.id, tops[i] - drift))
}

/** settle moves everything to the grid, from 0 on. */
function settle(items: Item[], at: Map<string, Point>, hints: Hints): Flat {
  const snap = (n: number) => Math.round(n / GRID) * GRID
  const left = Math.min(...[...at.values()].map((p) => p.x), Infinity)
  const top = Math.min(...[...at.values()].map((p) => p.y), ...[...hints.values()].flat().map((p) => p.y - GAP.path / 2), Infinity)
  const out: Flat = { at: new Map(), hints: new Map(), width: 0, height: 0 }
  for (const [id, points] of hints) {
    out.hints.set(id, points.map((p) => ({ x: p.x - left, y: p.y - top })))
    for (const p of points) out.height = Math.max(out.height, p.y - top + GAP.path / 2)
  }
  for (const item of items) {
    const p = at.get(item.id)!
    const x = snap(p.x - left)
    const y = snap(p.y - top)
    out.at.set(item.id, { x, y })
    out.width = Math.max(out.width, x + item.width)
    out.height = Math.max(out.height, y + item.height)
  }
  return out
}

/**
 * tighten narrows the gaps between columns that no label needs. dagre knows one gap for all, so
 * one label anywhere would push every column away, and the cards would be drawn smaller.
 */
function tighten(items: Item[], edges: LayoutEdge[], flat: Flat): Flat {
  const spans = items.map((i) => ({ from: flat.at.get(i.id)!.x, to: flat.at.get(i.id)!.x + i.width })).sort((a, b) => a.from - b.from)
  const right = new Map(items.map((i) => [i.id, flat.at.get(i.id)!.x + i.width]))
  const labels = edges.filter((e) => e.labelled && !e.back).map((e) => ({ from: right.get(e.source)!, to: flat.at.get(e.target)!.x }))
  const cuts: { from: number; to: number; by: number }[] = []
  let end = spans[0]?.to ?? 0
  for (const s of spans) {
    const by = Math.floor((s.from - end - GAP.rank) / GRID) * GRID
    if (by > 0 && !labels.some((l) => l.from <= end && l.to >= s.from)) cuts.push({ from: end, to: s.from, by })
    end = Math.max(end, s.to)
  }
  const moved = (p: Point): Point => ({ ...p, x: cuts.reduce((x, c) => x - c.by * Math.min(1, Math.max(0, (p.x - c.from) / (c.to - c.from))), p.x) })
  return {
    at: new Map([...flat.at].map(([id, p]) => [id, moved(p)])),
    hints: new Map([...flat.hints].map(([id, points]) => [id, points.map(moved)])),
    width: cuts.reduce((width, c) => width - c.by, flat.width),
    height: flat.height,
  }
}

/** rows is what a layout that takes too long is replaced by: everything in reading order. */
export function rows(nodes: LayoutNode[]): Layout {
  const flat = nodes.map((n) => ({ id: n.id }))
  const wide = Math.ceil(Math.sqrt(flat.length))
  const boxes: Record<string, Box> = {}
  flat.forEach((n, i) => {
    boxes[n.id] = { x: (i % wide) * (CARD.width + 96), y: Math.floor(i / wide) * (CARD.height + 48), ...CARD }
  })
  return { boxes, routes: {}, width: wide * (CARD.width + 96), height: Math.ceil(flat.length / wide) * (CARD.height + 48) }
}
