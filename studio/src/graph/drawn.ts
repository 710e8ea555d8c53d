import { absolute, type Placed } from '../canvas/places'
import { type Box, CARD, type Layout } from './layout'
import type { GraphModel, PathView } from './model'
import { type Point, type Route, along } from './route'

/** Kept free between a path and a card that it goes around. */
const CLEAR = 16
/** How far beside a card a path turns: the first at which it crosses nothing. */
const TURNS = [14, 34, 54]
const TURN = TURNS[0]
/** Between two paths back. */
const LANE = 14
/** So often a way around is moved further out before the least bad one is taken. */
const TRIES = 6

/** drawn is the layout that the workflow's author made; places in containers are relative there too. */
export function drawn(model: GraphModel): Layout {
  const boxes: Record<string, Box> = {}
  const sizeOf = (id: string): { width: number; height: number } => {
    const body = model.children.get(id)
    if (!body) return CARD
    let width: number = CARD.width
    let height: number = CARD.height
    for (const child of body) {
      const s = model.byId.get(child)!.step
      const size = sizeOf(child)
      width = Math.max(width, (s.x ?? 0) + size.width + 32)
      height = Math.max(height, (s.y ?? 0) + size.height + 32)
    }
    return { width, height }
  }
  const tops = model.steps.filter((v) => !v.parent)
  const left = Math.min(0, ...tops.map((v) => v.step.x ?? 0))
  const top = Math.min(0, ...tops.map((v) => v.step.y ?? 0))
  let width = 0
  let height = 0
  for (const v of model.steps) {
    const size = sizeOf(v.id)
    const [dx, dy] = v.parent ? [0, 0] : [left, top]
    boxes[v.id] = { x: (v.step.x ?? 0) - dx, y: (v.step.y ?? 0) - dy, ...size }
    if (!v.parent) {
      width = Math.max(width, boxes[v.id].x + size.width)
      height = Math.max(height, boxes[v.id].y + size.height)
    }
  }
  const layout: Layout = { boxes, routes: {}, width, height }
  const ways = new Ways(model, absolute(model, layout))
  for (const p of model.paths) layout.routes[p.id] = ways.of(p)
  for (const r of Object.values(layout.routes)) for (const p of r.points) layout.height = Math.max(layout.height, p.y)
  return layout
}

/** Ways finds how paths run between cards that somebody else has placed: straight where nothing is between, else around it. */
class Ways {
  private lanes: { from: number; to: number; y: number }[] = []

  constructor(
    private model: GraphModel,
    private at: Map<string, Placed>,
  ) {}

  of(p: PathView): Route {
    const a = this.at.get(p.source)!
    const b = this.at.get(p.target)!
    const cards = this.obstacles(p)
    if (p.back) return this.below(a, b, cards)
    const s = { x: a.x + a.width, y: a.y + a.height / 2 }
    const t = { x: b.x, y: b.y + b.height / 2 }
    if (t.x > s.x && crossed([s, t], cards).length === 0) return { points: [s, t], label: { x: (s.x + t.x) / 2, y: (s.y + t.y) / 2 } }
    return this.around(s, t, [a, b], cards)
  }

  /** obstacles are the cards that a path may not cross: neither its ends nor what these stand in. */
  private obstacles(p: PathView): Placed[] {
    const own = new Set<string>()
    for (const end of [p.source, p.target]) for (let id: string | undefined = end; id; id = this.model.byId.get(id)?.parent) own.add(id)
    return [...this.at].filter(([id]) => !own.has(id)).map(([, box]) => box)
  }

  private around(s: Point, t: Point, ends: Placed[], cards: Placed[]): Route {
    const way = (from: number, to: number) => (y: number): Point[] => [s, { x: s.x + from, y: s.y }, { x: s.x + from, y }, { x: t.x - to, y }, { x: t.x - to, y: t.y }, t]
    const over = Math.min(s.y, t.y, ...(t.x > s.x ? [] : ends.map((e) => e.y - CLEAR)))
    const under = Math.max(s.y, t.y, ...(t.x > s.x ? [] : ends.map((e) => e.y + e.height + CLEAR)))
    const ways = TURNS.flatMap((from) => TURNS.map((to) => way(from, to))).flatMap((w) => [out(w, over, -1, cards), out(w, under, 1, cards)])
    const found = ways.reduce((best, w) => (w.crossed < best.crossed || (w.crossed === best.crossed && lengthOf(w.points) < lengthOf(best.points)) ? w : best))
    return { points: found.points, label: { x: (s.x + t.x) / 2, y: found.y } }
  }

  private below(a: Placed, b: Placed, cards: Placed[]): Route {
    const s = { x: a.x + a.width * 0.6, y: a.y + a.height }
    const t = { x: b.x + b.width * 0.4, y: b.y + b.height }
    const found = out((y) => [s, { x: s.x, y }, { x: t.x, y }, t], Math.max(s.y, t.y) + CLEAR + TURN, 1, cards)
    const [from, to] = [Math.min(s.x, t.x), Math.max(s.x, t.x)]
    let y = found.y
    while (this.lanes.some((l) => l.from <= to && from <= l.to && Math.abs(l.y - y) < LANE)) y += LANE
    this.lanes.push({ from, to, y })
    return { points: [s, { x: s.x, y }, { x: t.x, y }, t], label: { x: (s.x + t.x) / 2, y } }
  }
}

/** out moves the level part of a way up (-1) or down (1) until it is clear of cards, or gives the clearest it has seen. */
function out(way: (y: number) => Point[], from: number, side: -1 | 1, cards: Placed[]): { points: Point[]; y: number; crossed: number } {
  let y = from
  let best: { points: Point[]; y: number; crossed: number } | undefined
  for (let i = 0; i < TRIES; i++) {
    const points = way(y)
    const hit = crossed(points, cards)
    if (!best || hit.length < best.crossed) best = { points, y, crossed: hit.length }
    if (hit.length === 0) break
    const next = side < 0 ? Math.min(...hit.map((c) => c.y)) - CLEAR : Math.max(...hit.map((c) => c.y + c.height)) + CLEAR
    if (next === y) break
    y = side < 0 ? Math.min(y, next) : Math.max(y, next)
  }
  return best!
}

/** crossed lists the cards that a way touches. */
function crossed(points: Point[], cards: Placed[]): Placed[] {
  const xs = points.map((p) => p.x)
  const ys = points.map((p) => p.y)
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const near = cards.filter((c) => c.x < x1 + 4 && c.x + c.width > x0 - 4 && c.y < y1 + 4 && c.y + c.height > y0 - 4)
  if (near.length === 0) return near
  const line = dense(points)
  return near.filter((c) => line.some((p) => p.x > c.x - 4 && p.x < c.x + c.width + 4 && p.y > c.y - 4 && p.y < c.y + c.height + 4))
}

/** dense gives points on a way so close that no card lies between two of them. */
function dense(points: Point[]): Point[] {
  const line = along(points)
  const list: Point[] = []
  for (let i = 0; i + 1 < line.length; i++) {
    const [a, b] = [line[i], line[i + 1]]
    const n = Math.max(1, Math.ceil(Math.hypot(b.x - a.x, b.y - a.y) / 24))
    for (let k = 0; k < n; k++) list.push({ x: a.x + ((b.x - a.x) * k) / n, y: a.y + ((b.y - a.y) * k) / n })
  }
  return [...list, ...line.slice(-1)]
}

const lengthOf = (points: Point[]) => points.slice(1).reduce((sum, p, i) => sum + Math.hypot(p.x - points[i].x, p.y - points[i].y), 0)
