import { useReactFlow, useStore as useFlow } from '@xyflow/react'
import { useCallback, useEffect, useRef } from 'react'
import { useStore } from 'zustand'
import { useTheme } from '../app/theme'
import type { Layout } from '../graph/layout'
import type { GraphModel } from '../graph/model'
import { lookOf } from '../ui/parts'
import { PLACES, useCanvas } from './context'
import { absolute } from './places'

/** Below this zoom a card's words cannot be read, and hundreds of them would be in view. */
export const FAR = 0.35

/** A View is which part of the workflow is drawn where: one pixel is 1 / zoom of its units. */
interface View {
  x: number
  y: number
  zoom: number
  width: number
  height: number
}

/** useDrawing draws a whole workflow on one canvas element: thousands of cards as elements would take seconds. */
function useDrawing(model: GraphModel, layout: Layout, { x, y, zoom, width, height }: View) {
  const ref = useRef<HTMLCanvasElement>(null)
  const { run, counts } = useCanvas()
  const state = useStore(run)
  const dark = useTheme((s) => s.dark)
  const more = useTheme((s) => s.more)
  useEffect(() => {
    const canvas = ref.current
    const c = canvas?.getContext('2d')
    if (!canvas || !c) return
    const ratio = window.devicePixelRatio || 1
    canvas.width = width * ratio
    canvas.height = height * ratio
    const css = getComputedStyle(canvas)
    const known = new Map<string, string>()
    const colour = (name: string) => {
      let value = known.get(name)
      if (value === undefined) known.set(name, (value = css.getPropertyValue('--' + name).trim()))
      return value
    }
    c.setTransform(ratio * zoom, 0, 0, ratio * zoom, ratio * x, ratio * y)
    const at = absolute(model, layout)
    const seen = { left: -x / zoom, top: -y / zoom, right: (width - x) / zoom, bottom: (height - y) / zoom }
    c.strokeStyle = colour('line-strong')
    c.lineWidth = 1 / zoom
    c.beginPath()
    for (const p of model.paths) {
      const a = at.get(p.source)!
      const b = at.get(p.target)!
      if (Math.max(a.x + a.width, b.x + b.width) < seen.left || Math.min(a.x, b.x) > seen.right) continue
      const route = layout.routes[p.id]?.points ?? [{ x: a.x + a.width, y: a.y + a.height / 2 }, { x: b.x, y: b.y + b.height / 2 }]
      c.moveTo(route[0].x, route[0].y)
      for (let i = 1; i < route.length; i++) c.lineTo(route[i].x, route[i].y)
    }
    c.stroke()
    for (const s of model.steps) {
      const b = at.get(s.id)!
      if (b.x > seen.right || b.y > seen.bottom || b.x + b.width < seen.left || b.y + b.height < seen.top) continue
      const status = state.shown ? (state.steps[s.id]?.status ?? 'idle') : (PLACES.find((p) => counts[s.id]?.[p]) ?? 'plain')
      const tone = status === 'plain' || status === 'idle' ? '' : lookOf(status).tone
      c.fillStyle = colour(s.container ? 'sunken' : 'surface')
      c.fillRect(b.x, b.y, b.width, b.height)
      c.strokeStyle = colour(tone || 'line-strong')
      c.lineWidth = (tone ? 3 : 1) / zoom
      c.strokeRect(b.x, b.y, b.width, b.height)
      if (tone && !s.container) {
        c.fillStyle = colour(tone)
        c.fillRect(b.x, b.y, Math.max(16, 6 / zoom), b.height)
      }
    }
  }, [x, y, zoom, width, height, model, layout, state, counts, dark, more])
  return ref
}

/** Overview is the canvas of a large workflow seen from afar. */
export function Overview({ model, layout }: { model: GraphModel; layout: Layout }) {
  const [x, y, zoom] = useFlow((s) => s.transform)
  const width = useFlow((s) => s.width)
  const height = useFlow((s) => s.height)
  const ref = useDrawing(model, layout, { x, y, zoom, width, height })
  return <canvas ref={ref} className="overview" style={{ width, height }} role="img" aria-label={`${model.steps.length} steps; zoom in to read them`} />
}

const MAP = { width: 168, height: 104, pad: 6 }

/** SmallMap is the whole workflow in a corner; a press on it goes there. */
export function SmallMap({ model, layout }: { model: GraphModel; layout: Layout }) {
  const flow = useReactFlow()
  const zoom = Math.min((MAP.width - 2 * MAP.pad) / layout.width, (MAP.height - 2 * MAP.pad) / layout.height)
  const x = (MAP.width - layout.width * zoom) / 2
  const y = (MAP.height - layout.height * zoom) / 2
  const ref = useDrawing(model, layout, { x, y, zoom, width: MAP.width, height: MAP.height })
  const go = useCallback(
    (e: React.PointerEvent<HTMLElement>) => {
      if (e.buttons === 0) return
      const r = e.currentTarget.getBoundingClientRect()
      void flow.setCenter((e.clientX - r.left - x) / zoom, (e.clientY - r.top - y) / zoom, { zoom: flow.getZoom() })
    },
    [flow, x, y, zoom],
  )
  return (
    <div
      className="small-map"
      style={{ width: MAP.width, height: MAP.height }}
      onPointerDown={(e) => {
        e.currentTarget.setPointerCapture(e.pointerId)
        go(e)
      }}
      onPointerMove={go}
    >
      <canvas ref={ref} style={{ width: MAP.width, height: MAP.height }} role="img" aria-label="Map of the workflow" />
      <Seen x={x} y={y} zoom={zoom} />
    </div>
  )
}

/** Seen is the frame around what the window shows. */
function Seen({ x, y, zoom }: { x: number; y: number; zoom: number }) {
  const [fx, fy, fz] = useFlow((s) => s.transform)
  const width = useFlow((s) => s.width)
  const height = useFlow((s) => s.height)
  return <i style={{ transform: `translate(${x - (fx / fz) * zoom}px, ${y - (fy / fz) * zoom}px)`, width: (width / fz) * zoom, height: (height / fz) * zoom }} />
}
