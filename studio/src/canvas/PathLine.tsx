import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from '@xyflow/react'
import { Pencil, RotateCcw, Wrench } from 'lucide-react'
import { memo } from 'react'
import type { PathView } from '../graph/model'
import { type Route, drawingOf } from '../graph/route'
import { cut } from '../graph/words'
import { useCanvas, usePathRun, useRun } from './context'

export interface LineData extends Record<string, unknown> {
  view: PathView
  /** How it runs; from end to end in a layout that its author made. */
  route?: Route
}

/** Without a route, a path back is drawn below its ends. */
function backCurve(sx: number, sy: number, tx: number, ty: number): [string, number, number] {
  const depth = Math.max(sy, ty) + 36 + Math.min(72, Math.abs(sx - tx) * 0.06)
  const r = 14
  const dir = tx < sx ? -1 : 1
  const d = `M ${sx} ${sy} L ${sx} ${depth - r} Q ${sx} ${depth} ${sx + dir * r} ${depth} L ${tx - dir * r} ${depth} Q ${tx} ${depth} ${tx} ${depth - r} L ${tx} ${ty}`
  return [d, (sx + tx) / 2, depth]
}

export const PathLine = memo(function PathLine(p: EdgeProps & { data?: LineData }) {
  const view = p.data!.view
  const run = usePathRun(view.id)
  const shown = useRun((s) => s.shown)
  const moving = useRun((s) => s.fresh['path ' + view.id])
  const lit = useRun((s) => s.lit[view.id])
  const { overlay, verdicts, edits } = useCanvas()
  const edit = edits?.paths[view.id]
  const verdict = verdicts?.[view.id]
  const over = shown ? undefined : overlay?.paths[view.id]
  const route = p.data!.route
  const [d, x, y] = route
    ? [drawingOf(route.points), route.label.x, route.label.y]
    : view.back
      ? backCurve(p.sourceX, p.sourceY, p.targetX, p.targetY)
      : getBezierPath({ sourceX: p.sourceX, sourceY: p.sourceY, sourcePosition: p.sourcePosition, targetX: p.targetX, targetY: p.targetY, targetPosition: p.targetPosition })
  const state = verdict ? (verdict === 'true' ? 'taken' : 'refused') : !shown || !run ? '' : run.taken > 0 ? 'taken' : 'refused'
  const className = ['path', view.kind === 'TOOL' ? 'tool' : '', state, p.selected ? 'selected' : '', moving ? 'moving' : '', lit ? 'lit' : '', edit ? 'changed' : ''].join(' ')
  const text = over?.text ?? (edit?.label ? `${cut(edit.label[0], 26)} → ${cut(edit.label[1], 26)}` : cut(view.label, 26))
  const times = shown && run && run.taken > 1 ? `×${run.taken}` : ''
  const no = state === 'refused' && !verdict
  return (
    <>
      <BaseEdge id={p.id} path={d} className={className} markerEnd={p.markerEnd} interactionWidth={16} style={over ? { strokeWidth: over.weight } : undefined} />
      {moving && (
        <circle r={5} className="traveller">
          <animateMotion dur="0.9s" path={d} fill="freeze" repeatCount="2" />
        </circle>
      )}
      {(text || edit || times || no || verdict || view.back) && (
        <EdgeLabelRenderer>
          <div
            className={`path-label nodrag nopan ${state} ${view.kind === 'TOOL' ? 'tool' : ''} ${lit ? 'lit' : ''} ${edit ? 'changed' : ''}`}
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
            title={over?.title ?? (edit?.label ? `before: ${edit.label[0]}; now: ${edit.label[1]}` : undefined) ?? (view.condition && view.condition !== view.label ? `${view.label}: when ${view.condition}` : view.label)}
          >
            {view.kind === 'TOOL' && <Wrench size={11} aria-hidden />}
            {edit && <Pencil size={10} aria-label={edit.change === 'added' ? 'new' : 'edited'} />}
            {view.back && !text && <RotateCcw size={11} aria-hidden />}
            {text && <span className="ellipsis">{text}</span>}
            {no && <b>no</b>}
            {verdict && <b>{verdict === 'unresolved' ? 'no value' : verdict}</b>}
            {times && <b>{times}</b>}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  )
})
