import { Handle, type NodeProps, Position } from '@xyflow/react'
import { Pencil, Stamp, Wrench } from 'lucide-react'
import { memo } from 'react'
import type { StepView } from '../graph/model'
import { count } from '../ui/format'
import { KindIcon } from '../ui/kindIcon'
import { StatusIcon, lookOf } from '../ui/parts'
import { PLACES, useCanvas, useRun, useStepRun } from './context'

export interface CardData extends Record<string, unknown> {
  view: StepView
}

function Ends() {
  return (
    <>
      <Handle id="l" type="target" position={Position.Left} isConnectable={false} />
      <Handle id="r" type="source" position={Position.Right} isConnectable={false} />
      <Handle id="bs" type="source" position={Position.Bottom} isConnectable={false} style={{ left: '60%' }} />
      <Handle id="bt" type="target" position={Position.Bottom} isConnectable={false} style={{ left: '40%' }} />
    </>
  )
}

/** State is the last row of a card: the status by icon and word, the visit, the attempt. */
function State({ id }: { id: string }) {
  const run = useStepRun(id)
  const shown = useRun((s) => s.shown)
  const { counts, onCount, overlay } = useCanvas()
  if (!shown) {
    const over = overlay?.steps[id]
    if (over) {
      return (
        <div className="card-state" title={over.title}>
          <span className="heat" style={{ ['--heat' as string]: over.heat }} />
          {over.text}
        </div>
      )
    }
    return <Counts id={id} counts={counts[id]} onCount={onCount} />
  }
  const status = run?.status ?? 'idle'
  return (
    <div className="card-state">
      <StatusIcon status={status} />
      <span>{status === 'awaiting_input' ? 'Waiting' : lookOf(status).text}</span>
      {run && run.visits > 1 && (
        <span className="visits" title={`${run.visits} visits`}>
          ×{run.visits}
        </span>
      )}
      {run && run.attempt > 1 && <span className="visits">attempt {run.attempt}</span>}
      {run?.round !== undefined && (
        <span className="visits">
          round {run.round}
          {run.rounds ? ` of ${run.rounds}` : ''}
        </span>
      )}
      {run?.children !== undefined && (
        <span className="visits">
          {count(run.ended ?? 0)} of {count(run.children)} ended
        </span>
      )}
    </div>
  )
}

const HERE: Record<string, [string, string]> = {
  awaiting_input: ['waits here', 'wait here'],
  error: ['failed here', 'failed here'],
  pending: ['is pending here', 'are pending here'],
  active: ['runs here', 'run here'],
}

/** Counts are the sessions that stand at a step; each opens their list. Only the first has room for words. */
function Counts({ id, counts, onCount }: { id: string; counts?: Record<string, number>; onCount?: (step: string, status: string) => void }) {
  const there = counts ? PLACES.filter((s) => counts[s]) : []
  return (
    <div className="card-state">
      {there.map((status, i) => {
        const n = counts![status]
        const words = HERE[status][n === 1 ? 0 : 1]
        return (
          <button key={status} type="button" className={`chip tone-${lookOf(status).tone} nodrag`} aria-label={`${count(n)} ${words}: ${id}`} title={`Show the ${count(n)} ${n === 1 ? 'session that' : 'sessions that'} ${words}`} onClick={(e) => (e.stopPropagation(), onCount?.(id, status))}>
            <StatusIcon status={status} size={12} />
            {count(n)} {i === 0 && there.length < 3 && words}
          </button>
        )
      })}
    </div>
  )
}

/** Edited marks a step that is no longer what the session ran, or what it was when the page was opened. */
function Edited({ id }: { id: string }) {
  const edited = useRun((s) => s.edited[id])
  const edit = useCanvas().edits?.steps[id]
  if (!edited && !edit) return null
  return (
    <span className="edited" title={`Edited since ${edited ? 'this session ran it' : 'you opened this page'}; the inspector shows the difference`}>
      <Pencil size={10} aria-hidden /> {edit?.change === 'added' ? 'new' : 'edited'}
    </span>
  )
}

function useCardClass(view: StepView, selected: boolean | undefined): string {
  const status = useRun((s) => (s.shown ? (s.steps[view.id]?.status ?? 'idle') : 'plain'))
  const fresh = useRun((s) => s.fresh['step ' + view.id])
  return [
    'card',
    `is-${status}`,
    selected ? 'selected' : '',
    fresh ? 'fresh' : '',
    view.step.inactive || view.step.bypass ? 'off' : '',
  ].join(' ')
}

export const Card = memo(function Card({ data, selected }: NodeProps & { data: CardData }) {
  const { view } = data
  const className = useCardClass(view, selected)
  return (
    <div className={className}>
      <Ends />
      <div className="card-title">
        <KindIcon kind={view.kind} />
        <span>{view.title}</span>
        {view.step.approval && (
          <span className="mark faint" title="A person approves it before it runs">
            <Stamp size={12} role="img" aria-label="A person approves it before it runs" />
          </span>
        )}
        {view.tool && <Wrench size={12} aria-label="Tool" className="faint" />}
        <Edited id={view.id} />
      </div>
      <div className="card-detail">
        <b>{view.kindText}</b>
        {view.detail && <span> · {view.detail}</span>}
      </div>
      <State id={view.id} />
    </div>
  )
})

export const Container = memo(function Container({ data, selected }: NodeProps & { data: CardData }) {
  const { view } = data
  const className = useCardClass(view, selected)
  return (
    <div className={className + ' container'}>
      <Ends />
      <div className="container-head">
        <div className="card-title">
          <KindIcon kind={view.kind} />
          <span>{view.title}</span>
          <span className="faint">{view.kindText}</span>
          <Edited id={view.id} />
        </div>
        <State id={view.id} />
      </div>
    </div>
  )
})
