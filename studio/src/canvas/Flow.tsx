import {
  Background, BackgroundVariant, type Edge, MarkerType, type Node, type NodeChange, Position, ReactFlow, ReactFlowProvider, useReactFlow, useStore as useFlow,
} from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { LayoutTemplate, Map as MapIcon, Maximize, Minus, Plus, Search } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Layout } from '../graph/layout'
import type { GraphModel, PathView } from '../graph/model'
import { useTheme } from '../app/theme'
import { Button } from '../ui/parts'
import { Card, Container } from './Card'
import { FAR, Overview, SmallMap } from './Overview'
import { PathLine } from './PathLine'
import { absolute } from './places'
import { Places, type Span, spanOf } from './window'

/** What of the graph is chosen: a step, or a path by its id. */
export type Choice = { kind: 'step'; id: string } | { kind: 'path'; id: string } | undefined

const nodeTypes = { step: Card, container: Container }
const edgeTypes = { path: PathLine }
/** Above so many steps only those in view, and their neighbours, are elements. */
const MANY = 150

interface Props {
  model: GraphModel
  layout: Layout
  choice: Choice
  onChoose: (c: Choice) => void
  asDrawn: boolean
  onAsDrawn?: (v: boolean) => void
  /** A step to bring into view; a new object each time it is asked for. */
  focus?: { id: string }
  /** The step to begin at where the whole does not fit; the first one else. */
  begin?: string
}

export function Flow(props: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<{ width: number; height: number }>()
  useEffect(() => {
    const r = box.current!.getBoundingClientRect()
    setSize({ width: r.width, height: r.height })
  }, [])
  return (
    <div ref={box} className="flow">
      {size && (
        <ReactFlowProvider>
          <Drawing {...props} size={size} />
        </ReactFlowProvider>
      )}
    </div>
  )
}

/** Smaller than this, the words on cards cannot be read. */
const READABLE = 0.6
/** A small graph is drawn larger where there is room, up to this: beyond it a card of two words fills the window. */
const LARGEST = 1.3
/** At this zoom a card's words are read at once. */
const CLEAR = 0.75
/** From the middle of a card to the far end of its neighbour. */
const NEIGHBOUR = 424
/** Narrower than this, the map would cover what is left of the canvas. */
const ROOM_FOR_MAP = 640
/** The room around a graph. */
const PAD = 32

/** clearZoom is the zoom at which words are read at once, or as much less as the neighbours of a card in the middle need. */
function clearZoom(width: number): number {
  return Math.max(READABLE, Math.min(CLEAR, (width / 2 - 8) / NEIGHBOUR))
}

interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** around is the view with a card in the middle, as far as the graph reaches to both sides. */
function around(at: Box, layout: Layout, size: { width: number; height: number }, zoom: number) {
  const start = (from: number, length: number, all: number, room: number) => {
    if (all * zoom <= room - 2 * PAD) return (room - all * zoom) / 2
    return Math.min(PAD, Math.max(room - PAD - all * zoom, room / 2 - (from + length / 2) * zoom))
  }
  return { zoom, x: start(at.x, at.width, layout.width, size.width), y: start(at.y, at.height, layout.height, size.height) }
}

/** wholeZoom is the zoom at which all of a graph is in view. */
function wholeZoom(layout: Layout, size: { width: number; height: number }): number {
  return Math.min((size.width - 2 * PAD) / layout.width, (size.height - 2 * PAD - 24) / layout.height, LARGEST)
}

/** What is in view at first: all of it if that can be read, else the step to begin at, else the first one. */
function firstView(model: GraphModel, layout: Layout, size: { width: number; height: number }, begin: string | undefined) {
  const zoom = wholeZoom(layout, size)
  if (zoom >= READABLE) return { zoom, whole: true, x: (size.width - layout.width * zoom) / 2, y: (size.height - layout.height * zoom) / 2 }
  const z = clearZoom(size.width)
  const at = begin === undefined ? undefined : absolute(model, layout).get(begin)
  if (at) return { whole: false, ...around(at, layout, size, z) }
  const tall = layout.height * z
  const root = layout.boxes.root ?? Object.values(layout.boxes)[0]
  const y = tall < size.height ? (size.height - tall) / 2 : size.height / 2 - (root ? (root.y + root.height / 2) * z : 0)
  return { zoom: z, whole: false, x: PAD - (root?.x ?? 0) * z, y }
}

function Drawing({ model, layout, choice, onChoose, asDrawn, onAsDrawn, focus, begin, size }: Props & { size: { width: number; height: number } }) {
  const flow = useReactFlow()
  const theme = useTheme((s) => s.dark)
  const many = model.steps.length > MANY
  const far = useFlow((s) => many && s.transform[2] < FAR)
  const shown = useShown(model, layout, many && !far, choice)
  const [finding, setFinding] = useState(false)
  const wrap = useRef<HTMLDivElement>(null)
  const nodes = useNodes(model, layout, choice, shown)
  const edges = useEdges(model, layout, choice, shown)
  const [first] = useState(begin) // where the session stood when the page was opened: the view does not run after it
  const start = useMemo(() => firstView(model, layout, size, first), [model, layout, size, first])
  const [map, setMap] = useState(!start.whole && size.width > 600)
  const roomForMap = useFlow((s) => s.width === 0 || s.width >= ROOM_FOR_MAP)

  useEffect(() => {
    void flow.setViewport(start)
    const frame = requestAnimationFrame(() => performance.mark('studio:canvas')) // what the speed suite reads
    return () => cancelAnimationFrame(frame)
  }, [flow, start])

  const fit = useCallback(() => void flow.fitBounds({ x: 0, y: 0, width: layout.width, height: layout.height + 60 }, { padding: 0.06, duration: 160 }), [flow, layout])
  const centre = useCallback(
    (id: string) => {
      const at = absolute(model, layout).get(id)
      if (at) void flow.setCenter(at.x + at.width / 2, at.y + at.height / 2, { zoom: Math.max(flow.getZoom(), 0.8), duration: 160 })
    },
    [flow, model, layout],
  )
  useEffect(() => {
    if (focus) centre(focus.id)
  }, [focus, centre])

  useReveal(model, layout, choice)

  const onNodesChange = useCallback(
    (changes: NodeChange[]) => {
      for (const c of changes) if (c.type === 'select' && c.selected) onChoose({ kind: 'step', id: c.id })
    },
    [onChoose],
  )
  const keys = (e: React.KeyboardEvent) => {
    const field = (e.target as HTMLElement).matches('input, textarea, select')
    if ((e.ctrlKey || e.metaKey) && e.key === 'f') {
      e.preventDefault()
      setFinding(true)
      return
    }
    if (field || e.ctrlKey || e.metaKey || e.altKey) return
    if (e.key === '1') fit()
    else if (e.key === '2' && choice?.kind === 'step') centre(choice.id)
    else if (e.key === 'm') setMap((v) => !v)
    else if (e.key === '+') void flow.zoomIn()
    else if (e.key === '-') void flow.zoomOut()
    else if (e.key === 'Escape') onChoose(undefined)
  }

  return (
    <div ref={wrap} className={far ? 'flow-in far' : 'flow-in'} onKeyDown={keys} role="group" aria-label="Canvas">
      <ReactFlow
        nodes={far ? none : nodes}
        edges={far ? noEdges : edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        defaultViewport={start}
        onNodesChange={onNodesChange}
        onNodeClick={(_, n) => onChoose({ kind: 'step', id: n.id })}
        onEdgeClick={(_, e) => onChoose({ kind: 'path', id: e.id })}
        onPaneClick={() => onChoose(undefined)}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        minZoom={0.02}
        maxZoom={2}
        colorMode={theme ? 'dark' : 'light'}
        ariaLabelConfig={{ 'node.a11yDescription.default': 'Press Enter to inspect the step.', 'node.a11yDescription.keyboardDisabled': 'Press Enter to inspect the step.' }}
      >
        <Background variant={BackgroundVariant.Dots} gap={16} size={1.2} color="var(--dot)" />
      </ReactFlow>
      {far && <Overview model={model} layout={layout} />}
      {map && roomForMap && !far && <SmallMap model={model} layout={layout} />}
      <div className="flow-tools" role="toolbar" aria-label="Canvas tools">
        <Button quiet aria-label="Zoom in" title="Zoom in (+)" icon={<Plus size={16} />} onClick={() => void flow.zoomIn({ duration: 120 })} />
        <Button quiet aria-label="Zoom out" title="Zoom out (-)" icon={<Minus size={16} />} onClick={() => void flow.zoomOut({ duration: 120 })} />
        <Button quiet aria-label="Show all" title="Show all (1)" icon={<Maximize size={16} />} onClick={fit} />
        <Button quiet aria-label="Map" aria-pressed={map} title="Map (m)" icon={<MapIcon size={16} />} onClick={() => setMap(!map)} />
        <Button quiet aria-label="Find a step" title="Find a step (Ctrl+F)" icon={<Search size={16} />} onClick={() => setFinding(true)} />
        {model.placed && onAsDrawn && (
          <Button quiet aria-label="As drawn by its author" aria-pressed={asDrawn} title="As drawn by its author" icon={<LayoutTemplate size={16} />} onClick={() => onAsDrawn(!asDrawn)} />
        )}
      </div>
      {finding && (
        <Find
          model={model}
          onClose={() => setFinding(false)}
          onFound={(id) => {
            centre(id)
            onChoose({ kind: 'step', id })
          }}
        />
      )}
    </div>
  )
}

/**
 * useReveal keeps a chosen card in view. Where it was chosen, the view moves just as far as the card needs. When
 * the inspector that opens for it takes room, the view begins anew: all of the graph where that can be read, else
 * the card in the middle with as much of its neighbours as can be read.
 */
function useReveal(model: GraphModel, layout: Layout, choice: Choice) {
  const flow = useReactFlow()
  const width = useFlow((s) => s.width)
  const height = useFlow((s) => s.height)
  const room = useRef(0)
  const id = choice?.kind === 'step' ? choice.id : undefined
  useEffect(() => {
    const at = id === undefined ? undefined : absolute(model, layout).get(id)
    if (!at || !width || !height) {
      room.current = width
      return
    }
    const { x, y, zoom } = flow.getViewport()
    const resized = room.current !== 0 && room.current !== width
    room.current = width
    if (resized) {
      const whole = wholeZoom(layout, { width, height })
      if (whole >= READABLE) void flow.setViewport({ zoom: whole, x: (width - layout.width * whole) / 2, y: (height - layout.height * whole) / 2 })
      else void flow.setViewport(around(at, layout, { width, height }, Math.max(READABLE, Math.min(zoom, clearZoom(width)))))
      return
    }
    const dx = shift(at.x * zoom + x, at.width * zoom, width)
    const dy = shift(at.y * zoom + y, at.height * zoom, height)
    if (dx || dy) void flow.setViewport({ x: x + dx, y: y + dy, zoom })
  }, [flow, model, layout, id, width, height])
}

/** shift is how far something has to move to lie in a room; its beginning where it is larger. */
function shift(from: number, length: number, room: number): number {
  const pad = 16
  if (from < pad || length > room - 2 * pad) return pad - from
  return Math.min(0, room - pad - from - length)
}

const none: Node[] = []
const noEdges: Edge[] = []

function labelOf(model: GraphModel, id: string): string {
  const v = model.byId.get(id)!
  return `Step ${v.title}, ${v.kindText}${v.parent ? `, in ${model.byId.get(v.parent)!.title}` : ''}`
}

/** Shown is what is mounted of a large workflow; undefined is all of it. */
interface Shown {
  steps: Set<string>
  paths: Set<string>
}

/** useShown is the steps and paths in view, with all that those need: both ends of a path, the containers of a step. */
function useShown(model: GraphModel, layout: Layout, on: boolean, choice: Choice): Shown | undefined {
  const places = useMemo(() => (on ? new Places(model, absolute(model, layout), layout) : undefined), [on, model, layout])
  const ends = useMemo(() => new Map(model.paths.map((p) => [p.id, p])), [model])
  const span = useFlow((s) => (on ? spanOf(s.transform, s.width, s.height) : nowhere), sameSpan)
  return useMemo(() => {
    if (!places) return undefined
    const { steps, paths } = places.within(span)
    for (const id of paths) {
      const p = ends.get(id)!
      steps.add(p.source).add(p.target)
    }
    if (choice?.kind === 'step' && model.byId.has(choice.id)) steps.add(choice.id)
    for (const id of steps) {
      const parent = model.byId.get(id)?.parent
      if (parent) steps.add(parent) // a set visits what is added to it
    }
    return { steps, paths }
  }, [places, ends, model, span, choice])
}

const nowhere: Span = { x0: 0, y0: 0, x1: 0, y1: 0 }
const sameSpan = (a: Span, b: Span) => a.x0 === b.x0 && a.x1 === b.x1 && a.y0 === b.y0 && a.y1 === b.y1

function useNodes(model: GraphModel, layout: Layout, choice: Choice, shown: Shown | undefined): Node[] {
  const order = useMemo(() => parentsFirst(model), [model])
  const made = useMemo(() => new Map<string, Node>(), [model, layout]) // eslint-disable-line react-hooks/exhaustive-deps
  return useMemo(() => {
    const out: Node[] = []
    for (const id of order) {
      if (shown && !shown.steps.has(id)) continue
      let node = made.get(id)
      if (!node) made.set(id, (node = nodeOf(model, layout, id)))
      out.push(choice?.kind === 'step' && choice.id === id ? { ...node, selected: true } : node)
    }
    return out
  }, [order, made, model, layout, choice, shown])
}

/** nodeOf gives the canvas the size and the ends of a card: one that measures them itself opens three times slower. */
function nodeOf(model: GraphModel, layout: Layout, id: string): Node {
  const v = model.byId.get(id)!
  const b = layout.boxes[id]
  return {
    id,
    type: v.container ? 'container' : 'step',
    position: { x: b.x, y: b.y },
    parentId: v.parent,
    width: b.width,
    height: b.height,
    measured: { width: b.width, height: b.height },
    handles: [
      { id: 'l', type: 'target', position: Position.Left, x: 0, y: b.height / 2, width: 1, height: 1 },
      { id: 'r', type: 'source', position: Position.Right, x: b.width, y: b.height / 2, width: 1, height: 1 },
      { id: 'bs', type: 'source', position: Position.Bottom, x: b.width * 0.6, y: b.height, width: 1, height: 1 },
      { id: 'bt', type: 'target', position: Position.Bottom, x: b.width * 0.4, y: b.height, width: 1, height: 1 },
    ],
    data: { view: v },
    ariaLabel: labelOf(model, id),
    zIndex: v.container ? -1 : 1,
  }
}

/** React Flow wants containers before what they hold. */
function parentsFirst(model: GraphModel): string[] {
  const out: string[] = []
  const visit = (id: string) => {
    out.push(id)
    for (const child of model.children.get(id) ?? []) visit(child)
  }
  for (const s of model.steps) if (!s.parent) visit(s.id)
  return out
}

const marker = (colour: string) => ({ type: MarkerType.ArrowClosed, width: 18, height: 18, markerUnits: 'userSpaceOnUse', color: colour })

function useEdges(model: GraphModel, layout: Layout, choice: Choice, shown: Shown | undefined): Edge[] {
  const all = useMemo(() => model.paths.map((p) => edgeOf(p, layout)), [model, layout])
  return useMemo(() => {
    const kept = shown ? all.filter((e) => shown.paths.has(e.id)) : all
    return choice?.kind === 'path' ? kept.map((e) => (e.id === choice.id ? { ...e, selected: true } : e)) : kept
  }, [all, shown, choice])
}

function edgeOf(p: PathView, layout: Layout): Edge {
  return {
    id: p.id,
    type: 'path',
    source: p.source,
    target: p.target,
    sourceHandle: p.back ? 'bs' : 'r',
    targetHandle: p.back ? 'bt' : 'l',
    data: { view: p, route: layout.routes[p.id] },
    markerEnd: marker('context-stroke'),
    focusable: false,
    zIndex: 2,
  }
}

function Find({ model, onClose, onFound }: { model: GraphModel; onClose: () => void; onFound: (id: string) => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const hits = useMemo(() => {
    const t = text.trim().toLowerCase()
    if (!t) return []
    return model.steps.filter((s) => `${s.id} ${s.title} ${s.kindText} ${s.detail}`.toLowerCase().includes(t)).slice(0, 50)
  }, [model, text])
  const go = (n: number) => {
    if (hits.length === 0) return
    const i = (n + hits.length) % hits.length
    setAt(i)
    onFound(hits[i].id)
  }
  return (
    <div className="find">
      <input
        autoFocus
        aria-label="Find a step"
        placeholder="Find a step"
        value={text}
        onChange={(e) => {
          setText(e.target.value)
          setAt(-1)
        }}
        onKeyDown={(e) => {
          e.stopPropagation()
          if (e.key === 'Enter') go(at + (e.shiftKey ? -1 : 1))
          if (e.key === 'Escape') onClose()
        }}
      />
      <span className="faint" role="status">
        {text.trim() ? (hits.length ? `${at < 0 ? '' : `${at + 1} of `}${hits.length}` : 'none') : ''}
      </span>
      <Button quiet aria-label="Close" onClick={onClose} icon={<span aria-hidden>✕</span>} />
    </div>
  )
}
