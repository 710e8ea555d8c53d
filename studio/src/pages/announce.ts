import { useEffect, useRef, useState } from 'react'
import type { GraphModel } from '../graph/model'
import type { StepRun } from '../session/run'
import { lookOf } from '../ui/looks'

/** How long changes gather before they are read out: a session that races through its steps is one sentence. */
const GATHER = 700
/** More steps than this are counted instead of named. */
const NAMED = 3

/** wordsOf says what changed between two looks at a session, for those who do not see the canvas. */
export function wordsOf(model: GraphModel | undefined, before: Record<string, StepRun>, now: Record<string, StepRun>): string {
  const changed = Object.keys(now).filter((id) => now[id].status !== (before[id]?.status ?? 'idle') && now[id].status !== 'idle')
  if (changed.length > NAMED) {
    const waits = changed.filter((id) => now[id].status === 'awaiting_input' || now[id].status === 'error')
    return [`${changed.length} steps changed`, ...waits.map((id) => wordsFor(model, id, now[id]))].join('. ')
  }
  return changed.map((id) => wordsFor(model, id, now[id])).join('. ')
}

const wordsFor = (model: GraphModel | undefined, id: string, run: StepRun) => `${model?.byId.get(id)?.title ?? id}: ${lookOf(run.status).text.toLowerCase()}${run.round ? `, round ${run.round}` : ''}`

/** useAnnouncement is the text of a polite live region; what was there when the page opened is not read out. */
export function useAnnouncement(model: GraphModel | undefined, steps: Record<string, StepRun>, status: string, live: boolean): string {
  const said = useRef<{ steps: Record<string, StepRun>; status: string }>(undefined)
  const [text, setText] = useState('')
  useEffect(() => {
    if (!live) return
    if (!said.current) {
      said.current = { steps, status }
      return
    }
    const timer = setTimeout(() => {
      const words = wordsOf(model, said.current!.steps, steps)
      const ended = status !== said.current!.status ? `The session is now: ${lookOf(status).text.toLowerCase()}` : ''
      said.current = { steps, status }
      const all = [words, ended].filter(Boolean).join('. ')
      if (all) setText(all)
    }, GATHER)
    return () => clearTimeout(timer)
  }, [model, steps, status, live])
  return text
}
