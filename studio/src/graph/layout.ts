import dagre from '@dagrejs/dagre'

/** Sizes on the canvas; all are multiples of the grid. */
export const GRID = 16
export const CARD = { width: 224, height: 80 }
const PAD = { top: 64, side: 32, bottom: 32 }
const GAP = { rank: 80, labelled: 160, node: 32 }
/** Above so many steps side by side dagre takes longer than a person waits. */
const DAGRE_MOST = 200

export interface LayoutNode {
  id: string
  parent?: string
}

export interface LayoutEdge {
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
  for (const e of edges) {
    const lifted = lift(chain(e.source), chain(e.target), parents)
    if (!lifted || lifted.source === lifted.target) continue
    const list = inner.get(lifted.level)
    const edge = { ...e, source: lifted.source, target: lifted.target }
    if (list) list.push(edge)
    else inner.set(lifted.level, [edge])
  }
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
    return flat
  }
  return { boxes, ...place('') }
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
  at: Map<string, { x: number; y: number }>
  width: number
  height: number
}

function placeFlat(items: Item[], edges: LayoutEdge[]): Flat {
  const flat = items.length > DAGRE_MOST ? layered(items, edges) : byDagre(items, edges)
  return settle(items, flat)
}

function rankGap(edges: LayoutEdge[]): number {
  return edges.some((e) => e.labelled) ? GAP.labelled : GAP.rank
}

function byDagre(items: Item[], edges: LayoutEdge[]): Map<string, { x: number; y: number }> {
  const g = new dagre.graphlib.Graph({ multigraph: true })
  g.setGraph({ rankdir: 'LR', nodesep: GAP.node, ranksep: rankGap(edges), ranker: 'network-simplex' })
  for (const item of items) g.setNode(item.id, { width: item.width, height: item.height })
  edges.forEach((e, i) => {
    const [v, w] = e.back ? [e.target, e.source] : [e.source, e.target]
    g.setEdge(v, w, { weight: e.back ? 0 : 1, minlen: 1 }, String(i))
  })
  dagre.layout(g)
  return new Map(
    items.map((item) => {
      const n = g.node(item.id)
      return [item.id, { x: n.x - item.width / 2, y: n.y - item.height / 2 }]
    }),
  )
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
function settle(items: Item[], at: Map<string, { x: number; y: number }>): Flat {
  const snap = (n: number) => Math.round(n / GRID) * GRID
  const left = Math.min(...[...at.values()].map((p) => p.x), Infinity)
  const top = Math.min(...[...at.values()].map((p) => p.y), Infinity)
  const out: Flat = { at: new Map(), width: 0, height: 0 }
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

/** rows is what a layout that takes too long is replaced by: everything in reading order. */
export function rows(nodes: LayoutNode[]): Layout {
  const flat = nodes.map((n) => ({ id: n.id }))
  const wide = Math.ceil(Math.sqrt(flat.length))
  const boxes: Record<string, Box> = {}
  flat.forEach((n, i) => {
    boxes[n.id] = { x: (i % wide) * (CARD.width + 96), y: Math.floor(i / wide) * (CARD.height + 48), ...CARD }
  })
  return { boxes, width: wide * (CARD.width + 96), height: Math.ceil(flat.length / wide) * (CARD.height + 48) }
}
