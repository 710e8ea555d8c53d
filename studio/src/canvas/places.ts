import type { Layout } from '../graph/layout'
import type { GraphModel } from '../graph/model'

export interface Placed {
  x: number
  y: number
  width: number
  height: number
}

const known = new WeakMap<Layout, Map<string, Placed>>()

/** absolute gives each step's place on the whole canvas; a layout's boxes are relative to their containers. */
export function absolute(model: GraphModel, layout: Layout): Map<string, Placed> {
  const found = known.get(layout)
  if (found) return found
  const out = new Map<string, Placed>()
  const of = (id: string): Placed => {
    const done = out.get(id)
    if (done) return done
    const box = layout.boxes[id]
    const parent = model.byId.get(id)?.parent
    const base = parent ? of(parent) : { x: 0, y: 0 }
    const placed = { x: base.x + box.x, y: base.y + box.y, width: box.width, height: box.height }
    out.set(id, placed)
    return placed
  }
  for (const s of model.steps) of(s.id)
  known.set(layout, out)
  return out
}
