import type { Box, LayoutEdge } from './layout'

export interface Point {
  x: number
  y: number
}

/** A Route is how a path runs on the whole canvas, and where its label stands on it. */
export interface Route {
  points: Point[]
  label: Point
}

/** Kept free between a path and a card that it passes. */
const CLEAR = 8
/** Between two paths back, and between the lowest card and the first of them. */
const LANE = 20
const FIRST_LANE = 28
/** How far below a card and beside a column a path back turns. */
const TURN = 14
/** How far the grid may have moved a card from where its paths were laid: no bend for so little. */
const SNAP = 8
/** How much of a path is level where its label stands. */
const LEVEL = 48

interface Placed extends Box {
  id: string
}

interface Column {
  left: number
  right: number
  cards: Placed[]
}

/** What is beside each other in one body: columns of cards with nothing but paths between them. */
class Level {
  readonly columns: Column[] = []
  private at = new Map<string, number>()
  private lanes: { from: number; to: number; y: number }[] = []

  constructor(readonly cards: Placed[]) {
    for (const card of [...cards].sort((a, b) => a.x - b.x)) {
      const last = this.columns[this.columns.length - 1]
      if (last && card.x < last.right) {
        last.right = Math.max(last.right, card.x + card.width)
        last.cards.push(card)
      } else this.columns.push({ left: card.x, right: card.x + card.width, cards: [card] })
    }
    this.columns.forEach((c, i) => {
      c.cards.sort((a, b) => a.y - b.y)
      for (const card of c.cards) this.at.set(card.id, i)
    })
  }

  column(id: string): number {
    return this.at.get(id)!
  }

  /** free is the height nearest to a wish at which a path passes a column without touching a card. */
  free(column: number, wish: number): number {
    const { cards } = this.columns[column]
    let best = cards[0].y - CLEAR
    let off = wish <= best ? 0 : wish - best
    if (off === 0) return wish
    for (let i = 0; i < cards.length; i++) {
      const low = cards[i].y + cards[i].height + CLEAR
      const high = i + 1 < cards.length ? cards[i + 1].y - CLEAR : Infinity
      if (high < low) continue
      const y = Math.min(Math.max(wish, low), high)
      if (Math.abs(y - wish) < off) [best, off] = [y, Math.abs(y - wish)]
    }
    return best
  }

  /** lane takes a height below all cards of some columns, which no other path back has there. */
  lane(first: number, last: number, from: number, to: number): number {
    let y = FIRST_LANE + Math.max(...this.columns.slice(first, last + 1).flatMap((c) => c.cards.map((k) => k.y + k.height)))
    while (this.lanes.some((l) => l.from <= to && from <= l.to && Math.abs(l.y - y) < LANE)) y += LANE
    this.lanes.push({ from, to, y })
    return y
  }

  /** lowest reports whether no card stands below one. */
  lowest(id: string): boolean {
    const { cards } = this.columns[this.column(id)]
    return cards[cards.length - 1].id === id
  }
}

/** roomBelow is what paths back need below the cards of a body. */
export const roomBelow = (backs: number) => (backs === 0 ? 0 : FIRST_LANE + backs * LANE)

/** Where a path of a body passes, as its layout has kept room for it. */
export type Hints = Map<string, Point[]>

/**
 * A Router finds the way of each path. Between two columns there is nothing but paths, so a
 * path may rise and fall there; past a column it is level, through a gap between its cards. A
 * path back runs below the columns that it passes. One that leaves a container, or enters
 * one, first finds its way to the container's side.
 */
export class Router {
  private levels = new Map<string, Level>()

  constructor(
    private at: Map<string, Placed>,
    private parents: Map<string, string | undefined>,
    private hints: Map<string, Hints>,
  ) {
    const bodies = new Map<string, Placed[]>()
    for (const [id, box] of at) {
      const key = parents.get(id) ?? ''
      bodies.set(key, [...(bodies.get(key) ?? []), box])
    }
    for (const [key, cards] of bodies) this.levels.set(key, new Level(cards))
  }

  private level(id: string): Level {
    return this.levels.get(this.parents.get(id) ?? '')!
  }

  private card(id: string): Placed {
    return this.at.get(id)!
  }

  /** route is undefined for a path between a container and what it holds. */
  route(edge: LayoutEdge, level: string, source: string, target: string): Route | undefined {
    if (edge.source === edge.target) return this.loop(edge.source)
    if (source === target) return undefined
    const body = this.levels.get(level)!
    if (edge.back || body.column(source) >= body.column(target)) return this.below(edge, body, source, target)
    const out = this.leave(edge.source, source)
    const enter = this.enter(edge.target, target)
    const hints = this.hints.get(level)?.get(edge.id)
    const points = [...out]
    let labels: Point | undefined
    const to = enter[0] // its height is the last column's
    const first = body.column(source)
    const last = body.column(target)
    points.push({ x: body.columns[first].right, y: points[points.length - 1].y }) // a column may be wider than its card
    enter.unshift({ x: body.columns[last].left, y: to.y })
    for (let c = first; c < last; c++) {
      const here = body.columns[c]
      const next = body.columns[c + 1]
      const from = points[points.length - 1]
      const share = (next.left - from.x) / Math.max(1, to.x - from.x)
      const y = c + 1 === last ? to.y : body.free(c + 1, hintIn(hints, next.left, next.right)?.y ?? from.y + (to.y - from.y) * share)
      const hint = hintIn(hints, here.right + 1, next.left - 1)
      const between = hint && { x: hint.x, y: Math.abs(hint.y - y) <= (from.y === y ? 2 * SNAP : SNAP) ? y : hint.y }
      if (between) {
        const half = Math.min(edge.labelled && c === first ? LEVEL : 4, (next.left - here.right) / 2 - TURN)
        points.push({ x: between.x - half, y: between.y }, { x: between.x + half, y: between.y })
      }
      if (c === first) labels = between ?? { x: (here.right + next.left) / 2, y: (from.y + y) / 2 }
      if (c + 1 < last) points.push({ x: next.left, y }, { x: next.right, y })
    }
    return { points: simple([...points, ...enter]), label: labels! }
  }

  /** leave goes from a step to the right side of what stands for it. */
  private leave(id: string, until: string): Point[] {
    const start = this.card(id)
    const points = [{ x: start.x + start.width, y: start.y + start.height / 2 }]
    for (let inner = id; inner !== until; inner = this.parents.get(inner)!) {
      const level = this.level(inner)
      for (let c = level.column(inner) + 1; c < level.columns.length; c++) {
        const y = level.free(c, points[points.length - 1].y)
        points.push({ x: level.columns[c].left, y }, { x: level.columns[c].right, y })
      }
      const around = this.card(this.parents.get(inner)!)
      points.push({ x: around.x + around.width, y: points[points.length - 1].y })
    }
    return points
  }

  /** enter goes from the left side of what stands for a step to the step. */
  private enter(id: string, until: string): Point[] {
    const end = this.card(id)
    const points = [{ x: end.x, y: end.y + end.height / 2 }]
    for (let inner = id; inner !== until; inner = this.parents.get(inner)!) {
      const level = this.level(inner)
      for (let c = level.column(inner) - 1; c >= 0; c--) {
        const y = level.free(c, points[0].y)
        points.unshift({ x: level.columns[c].left, y }, { x: level.columns[c].right, y })
      }
      points.unshift({ x: this.card(this.parents.get(inner)!).x, y: points[0].y })
    }
    return points
  }

  /** below runs under the cards, from the bottom of one to the bottom of the other. */
  private below(edge: LayoutEdge, body: Level, source: string, target: string): Route {
    const down = this.drop(edge.source, source, 0.6)
    const up = this.drop(edge.target, target, 0.4)
    const columns = [body.column(source), body.column(target)]
    const from = down[down.length - 1]
    const to = up[up.length - 1]
    const y = body.lane(Math.min(...columns), Math.max(...columns), Math.min(from.x, to.x), Math.max(from.x, to.x))
    return { points: simple([...down, { x: from.x, y }, { x: to.x, y }, ...up.reverse()]), label: { x: (from.x + to.x) / 2, y } }
  }

  /** drop goes from the bottom of a step to where nothing of its column stands below. */
  private drop(id: string, until: string, share: number): Point[] {
    const start = this.card(id)
    const points = [{ x: start.x + start.width * share, y: start.y + start.height }]
    for (let inner = id; ; inner = this.parents.get(inner)!) {
      const level = this.level(inner)
      const box = this.card(inner)
      if (!level.lowest(inner)) {
        const last = points[points.length - 1]
        const x = level.columns[level.column(inner)].left - TURN - (share > 0.5 ? 0 : CLEAR)
        points.push({ x: last.x, y: box.y + box.height + TURN }, { x, y: box.y + box.height + TURN })
      }
      if (inner === until) return points
      const around = this.card(this.parents.get(inner)!)
      points.push({ x: points[points.length - 1].x, y: around.y + around.height })
    }
  }

  private loop(id: string): Route {
    const b = this.card(id)
    const [left, right, bottom] = [b.x + b.width * 0.4, b.x + b.width * 0.6, b.y + b.height]
    const y = bottom + TURN
    return { points: [{ x: right, y: bottom }, { x: right, y }, { x: left, y }, { x: left, y: bottom }], label: { x: (left + right) / 2, y } }
  }
}

const hintIn = (hints: Point[] | undefined, left: number, right: number) => hints?.find((p) => p.x >= left && p.x <= right)

/** simple leaves out points that change nothing. */
function simple(points: Point[]): Point[] {
  return points.filter((p, i) => {
    const a = points[i - 1]
    const b = points[i + 1]
    if (!a || !b) return true
    return !((a.x === p.x && p.x === b.x) || (a.y === p.y && p.y === b.y))
  })
}

const ROUND = 12

/** drawingOf is a route as an SVG path: level pieces joined by curves, corners rounded. */
export function drawingOf(points: Point[]): string {
  let d = `M ${points[0].x} ${points[0].y}`
  for (let i = 1; i < points.length; i++) {
    const a = points[i - 1]
    const b = points[i]
    const next = points[i + 1]
    if (a.x !== b.x && a.y !== b.y) {
      const half = (b.x - a.x) / 2
      d += ` C ${a.x + half} ${a.y} ${b.x - half} ${b.y} ${b.x} ${b.y}`
      continue
    }
    const corner = next && ((a.x === b.x && b.y === next.y) || (a.y === b.y && b.x === next.x))
    if (!corner) {
      d += ` L ${b.x} ${b.y}`
      continue
    }
    const r = Math.min(ROUND, (Math.abs(b.x - a.x) + Math.abs(b.y - a.y)) / 2, (Math.abs(next.x - b.x) + Math.abs(next.y - b.y)) / 2)
    const before = { x: b.x - Math.sign(b.x - a.x) * r, y: b.y - Math.sign(b.y - a.y) * r }
    const after = { x: b.x + Math.sign(next.x - b.x) * r, y: b.y + Math.sign(next.y - b.y) * r }
    d += ` L ${before.x} ${before.y} Q ${b.x} ${b.y} ${after.x} ${after.y}`
  }
  return d
}

/** along gives points on a route close together, as it is drawn. */
export function along(points: Point[]): Point[] {
  const out: Point[] = []
  for (let i = 1; i < points.length; i++) {
    const a = points[i - 1]
    const b = points[i]
    for (let s = 0; s <= 24; s++) {
      const t = s / 24
      const level = a.x === b.x || a.y === b.y
      const rise = level ? t : 3 * t * t - 2 * t * t * t
      const run = level ? t : 1.5 * t * (1 - t) * (1 - t) + 1.5 * t * t * (1 - t) + t * t * t
      out.push({ x: a.x + (b.x - a.x) * run, y: a.y + (b.y - a.y) * rise })
    }
  }
  return out
}
