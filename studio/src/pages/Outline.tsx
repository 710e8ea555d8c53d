import { useMemo, useState } from 'react'
import type { Choice } from '../canvas/Flow'
import type { StepCounts } from '../canvas/context'
import { type GraphModel, outlineOf } from '../graph/model'
import type { StepRun } from '../session/run'
import { count } from '../ui/format'
import { KindIcon } from '../ui/kindIcon'
import { StatusIcon, lookOf } from '../ui/parts'

/** Outline is the canvas as a list, for those who do not see it or do not use a mouse. */
export function Outline({ model, choice, counts, run, onChoose }: { model: GraphModel; choice: Choice; counts: StepCounts; run?: Record<string, StepRun>; onChoose: (step: string) => void }) {
  const order = useMemo(() => outlineOf(model), [model])
  const [q, setQ] = useState('')
  const shown = order.filter(({ step }) => `${step.id} ${step.title} ${step.kindText}`.toLowerCase().includes(q.toLowerCase()))
  return (
    <aside className="outline" aria-label="Outline" data-region>
      <input type="search" placeholder="Filter steps" aria-label="Filter steps" value={q} onChange={(e) => setQ(e.target.value)} />
      <ul>
        {shown.map(({ step, depth }) => {
          const status = run?.[step.id]?.status
          return (
            <li key={step.id} style={{ paddingLeft: depth * 16 }}>
              <button type="button" aria-current={choice?.kind === 'step' && choice.id === step.id ? 'true' : undefined} onClick={() => onChoose(step.id)}>
                {status ? <StatusIcon status={status} /> : <KindIcon kind={step.kind} size={14} />}
                <span>{step.title}</span>
                {status && <span className="sr">{lookOf(status).text}</span>}
                {counts[step.id]?.awaiting_input ? <b className="badge quiet">{count(counts[step.id].awaiting_input)}<span className="sr"> wait</span></b> : null}
              </button>
            </li>
          )
        })}
      </ul>
    </aside>
  )
}
