import { useStore as useFlow } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import { useStore } from 'zustand'
import type { Layout } from '../graph/layout'
import type { GraphModel } from '../graph/model'
import { lookOf } from '../ui/parts'
import { useCanvas } from './context'

/** Below this zoom a card's words cannot be read, and hundreds of them would be in view. */
export const FAR = 0.35

/** Overview draws a large workflow on one canvas element: thousands of cards as elements would take seconds. */
export function Overview({ model, layout }: { model: GraphModel; layout: Layout }) {
  const ref = useRef<HTMLCanvasElement>(null)
  const [x, y, zoom] = useFlow((s) => s.transform)
  const width = useFlow((s) => s.width)
  const height = useFlow((s) => s.height)
  const { run, waiting } = useCanvas()
  const state = useStore(run)
  useEffect(() => {
    const canvas = ref.current
    const c = canvas?.getContext('2d')
    if (!canvas || !c) return
    const ratio = window.devicePixelRatio || 1
    canvas.width = width * ratio
    canvas.height = height * ratio
    const css = getComputedStyle(canvas)
    const colour = (name: string) => css.getPropertyValue(name).trim()
    c.setTransform(ratio * zoom, 0, 0, ratio * zoom, ratio * x, ratio * y)
    const at = absolute(model, layout)
    c.strokeStyle = colour('--line-strong')
    c.lineWidth = 1 / zoom
    c.beginPath()
    for (const p of model.paths) {
      const a = at.get(p.source)!
      const b = at.get(p.target)!
      c.moveTo(a.x + a.width, a.y + a.height / 2)
      c.lineTo(b.x, b.y + b.height / 2)
    }
    c.stroke()
    for (const s of model.steps) {
      const b = at.get(s.id)!
      const status = state.shown ? (state.steps[s.id]?.status ?? 'idle') : waiting[s.id] ? 'awaiting_input' : 'plain'
      const tone = status === 'plain' || status === 'idle' ? '' : lookOf(status).tone
      c.fillStyle = s.container ? colour('--sunken') : colour('--surface')
      c.fillRect(b.x, b.y, b.width, b.height)
      c.strokeStyle = tone ? colour('--' + tone) : colour('--line-strong')
      c.lineWidth = (tone ? 3 : 1) / zoom
      c.strokeRect(b.x, b.y, b.width, b.height)
      if (tone && !s.container) {
        c.fillStyle = colour('--' + tone)
        c.fillRect(b.x, b.y, Math.max(16, 6 / zoom), b.height)
      }
    }
  }, [x, y, zoom, width, height, model, layout, state, waiting])
  return <canvas ref={ref} className="overview" style={{ width, height }} role="img" aria-label={`${model.steps.length} steps; zoom in to read them`} />
}

export interface Placed {
  x: number
  y: number
  width: number
  height: number
}

const places = new WeakMap<Layout, Map<string, Placed>>()

/** absolute gives each step's place on the whole canvas. */
export function absolute(model: GraphModel, layout: Layout): Map<string, Placed> {
  const known = places.get(layout)
  if (known) return known
  const out = new Map<string, Placed>()
  const of = (id: string): Placed => {
    const found = out.get(id)
    if (found) return found
    const box = layout.boxes[id]
    const parent = model.byId.get(id)?.parent
    const base = parent ? of(parent) : { x: 0, y: 0 }
    const placed = { x: base.x + box.x, y: base.y + box.y, width: box.width, height: box.height }
    out.set(id, placed)
    return placed
  }
  for (const s of model.steps) of(s.id)
  places.set(layout, out)
  return out
}
