import type { Layout } from '../graph/layout'
import type { GraphModel } from '../graph/model'
import type { Route } from '../graph/route'
import type { Placed } from './places'

/** The side of a cell. What is mounted changes only when the view enters another cell. */
const CELL = 320
/** A path that crosses more cells than this is looked at each time instead of standing in all of them. */
const MOST_CELLS = 64

export interface Span {
  x0: number
  y0: number
  x1: number
  y1: number
}

/** spanOf is the cells that a view shows, and one more on each side, so that panning finds cards there already. */
export function spanOf(transform: readonly [number, number, number], width: number, height: number): Span {
  const [x, y, zoom] = transform
  return {
    x0: Math.floor(-x / zoom / CELL) - 1,
    y0: Math.floor(-y / zoom / CELL) - 1,
    x1: Math.floor((width - x) / zoom / CELL) + 1,
    y1: Math.floor((height - y) / zoom / CELL) + 1,
  }
}

/**
 * Places finds what lies in a part of a large workflow without looking at all of it. The
 * canvas library looks at each step for each frame of a pan: at 2,000 that takes longer than
 * the frame.
 */
export class Places {
  private cells = new Map<string, { steps: string[]; paths: string[] }>()
  private wide: { id: string; box: Placed; step: boolean }[] = []

  constructor(model: GraphModel, at: Map<string, Placed>, layout: Pick<Layout, 'routes'>) {
    for (const s of model.steps) this.add(s.id, at.get(s.id)!, true)
    for (const p of model.paths) this.add(p.id, around(at.get(p.source)!, at.get(p.target)!, layout.routes[p.id]), false)
  }

  private add(id: string, box: Placed, step: boolean) {
    const s = cellsOf(box)
    if ((s.x1 - s.x0 + 1) * (s.y1 - s.y0 + 1) > MOST_CELLS) {
      this.wide.push({ id, box, step })
      return
    }
    for (let x = s.x0; x <= s.x1; x++) {
      for (let y = s.y0; y <= s.y1; y++) {
        const key = `${x},${y}`
        let cell = this.cells.get(key)
        if (!cell) this.cells.set(key, (cell = { steps: [], paths: [] }))
        ;(step ? cell.steps : cell.paths).push(id)
      }
    }
  }

  /** within lists the steps and paths that touch a span of cells. */
  within(span: Span): { steps: Set<string>; paths: Set<string> } {
    const steps = new Set<string>()
    const paths = new Set<string>()
    for (let x = span.x0; x <= span.x1; x++) {
      for (let y = span.y0; y <= span.y1; y++) {
        const cell = this.cells.get(`${x},${y}`)
        if (!cell) continue
        for (const id of cell.steps) steps.add(id)
        for (const id of cell.paths) paths.add(id)
      }
    }
    for (const w of this.wide) {
      const s = cellsOf(w.box)
      if (s.x0 > span.x1 || s.x1 < span.x0 || s.y0 > span.y1 || s.y1 < span.y0) continue
      ;(w.step ? steps : paths).add(w.id)
    }
    return { steps, paths }
  }
}

function cellsOf(b: Placed): Span {
  return { x0: Math.floor(b.x / CELL), y0: Math.floor(b.y / CELL), x1: Math.floor((b.x + b.width) / CELL), y1: Math.floor((b.y + b.height) / CELL) }
}

function around(a: Placed, b: Placed, route: Route | undefined): Placed {
  const xs = [a.x, b.x, a.x + a.width, b.x + b.width, ...(route?.points.map((p) => p.x) ?? [])]
  const ys = [a.y, b.y, a.y + a.height, b.y + b.height, ...(route?.points.map((p) => p.y) ?? [])]
  const x = Math.min(...xs)
  const y = Math.min(...ys)
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }
}
