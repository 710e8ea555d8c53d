import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Refusal, api } from '../api/client'
import { HISTORY_MOST, type Stated, ok, requestsQuery, stateQuery } from '../api/queries'
import type { Execution, Session } from '../api/schema'
import { type GraphModel, titleOf } from '../graph/model'
import { diffLines, near } from '../session/diff'
import { messageOf as errorText } from '../session/run'
import { clock, duration } from '../ui/format'
import { Value, pretty } from '../ui/json'
import { Button, ErrorState, Loading, Status, messageOf } from '../ui/parts'
import { say } from '../ui/toast'

/** HistoryPanel is each visit as a line. */
export function HistoryPanel({ history, model, chosen, visit, onChoose }: { history: Execution[]; model?: GraphModel; chosen?: string; visit?: number; onChoose: (step: string, visit: number) => void }) {
  const box = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({ count: history.length, getScrollElement: () => box.current, estimateSize: () => 34, overscan: 12 })
  if (history.length === 0) return <p className="none centre">No visit has ended yet.</p>
  return (
    <div ref={box} className="table history" role="table" aria-label="Visits" tabIndex={0}>
      {history.length >= HISTORY_MOST && <p className="note">Only the first {HISTORY_MOST} visits are shown here.</p>}
      <div role="rowgroup" style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map((v) => {
          const x = history[v.index]
          const on = x.step === chosen && x.visit === visit
          return (
            <div key={x.seq} role="row" className={on ? 'tr on' : 'tr'} style={{ transform: `translateY(${v.start}px)`, position: 'absolute', left: 0, right: 0 }}>
              <div role="cell" className="faint tabular">
                {x.seq}
              </div>
              <div role="cell">
                <button type="button" className="link" title={x.step} onClick={() => onChoose(x.step, x.visit)}>
                  {titleOf(model, x.step)}
                  {x.visit > 1 ? ` ×${x.visit}` : ''}
                </button>
              </div>
              <div role="cell">
                <Status status={x.status} />
              </div>
              <div role="cell" className="faint tabular">
                {duration(Date.parse(x.finished_at) - Date.parse(x.started_at))}
              </div>
              <div role="cell" className="bad-ink">
                {x.error ? errorText(x.error) : ''}
              </div>
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** StatePanel shows the state and edits it: the change is seen as a difference before it is written. A new object in editing begins an edit. */
export function StatePanel({ session, history, editing }: { session: Session; history: number; editing?: object }) {
  const state = useQuery({ ...stateQuery(session.id), queryKey: ['state', session.id, `${history} ${session.status}`] })
  const client = useQueryClient()
  const [edit, setEdit] = useState<{ before: string; text: string; version: string }>()
  const [review, setReview] = useState(false)
  const [wrong, setWrong] = useState('')
  const data = state.data
  const begin = (d: Stated) => setEdit({ before: pretty(d.text), text: pretty(d.text), version: d.version })
  const begun = useRef<object>(undefined)
  useEffect(() => {
    if (!editing || begun.current === editing || !data || session.status === 'active') return
    begun.current = editing
    begin(data)
  }, [editing, data, session.status])
  const lines = useMemo(() => (edit && review ? near(diffLines(edit.before, edit.text)) : []), [edit, review])
  if (state.isPending) return <Loading what="the state" lines={4} />
  if (!state.data) return <ErrorState error={state.error} again={() => void state.refetch()} />
  const save = async () => {
    setWrong('')
    try {
      JSON.parse(edit!.text)
    } catch (error) {
      return setWrong(`This is not valid JSON: ${(error as Error).message}`)
    }
    try {
      ok(
        await api.PUT('/api/v1/sessions/{session}/state', {
          params: { path: { session: session.id }, header: { 'If-Match': edit!.version } },
          body: edit!.text as never,
          bodySerializer: (b) => b as unknown as string,
          headers: { 'Content-Type': 'application/json' },
        }),
      )
      say('The state was changed; the session goes on from it.')
      setEdit(undefined)
      setReview(false)
      void client.invalidateQueries({ queryKey: ['state', session.id] })
    } catch (error) {
      setWrong(error instanceof Refusal && error.status === 412 ? 'The session has moved on since you began. Look at the new state and edit that.' : messageOf(error))
    }
  }
  if (!edit) {
    return (
      <div className="state">
        <div className="row end">
          <Button className="small" needs="operate" disabled={session.status === 'active'} title={session.status === 'active' ? 'A running session cannot be edited; pause it first' : undefined} onClick={() => begin(state.data)}>
            Edit the state…
          </Button>
        </div>
        <Value value={parsed(state.data.text)} label="State" />
      </div>
    )
  }
  return (
    <div className="state">
      <div className="row end">
        {wrong && (
          <p className="wrong" role="alert">
            {wrong}
          </p>
        )}
        <Button className="small" quiet onClick={() => (setEdit(undefined), setReview(false))}>
          Cancel
        </Button>
        {review ? (
          <>
            <Button className="small" onClick={() => setReview(false)}>
              Edit further
            </Button>
            <Button className="small" primary onClick={() => void save()}>
              Write this state
            </Button>
          </>
        ) : (
          <Button className="small" primary disabled={edit.text === edit.before} onClick={() => setReview(true)}>
            See the difference
          </Button>
        )}
      </div>
      {review ? (
        <pre className="diff" tabIndex={0} aria-label="Difference">
          {lines.map((l, i) => (
            <span key={i} className={l.kind}>
              {{ same: '  ', old: '- ', new: '+ ' }[l.kind] + l.text + '\n'}
            </span>
          ))}
        </pre>
      ) : (
        <textarea className="code" aria-label="State" value={edit.text} onChange={(e) => setEdit({ ...edit, text: e.target.value })} spellCheck={false} />
      )}
    </div>
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** RequestsPanel is everything that came from outside: answers, signals, actions of people. */
export function RequestsPanel({ session, version }: { session: string; version: number }) {
  const found = useQuery({ ...requestsQuery(session), queryKey: ['requests', session, String(version)] })
  if (found.isPending) return <Loading what="requests" lines={3} />
  if (!found.data) return <ErrorState error={found.error} again={() => void found.refetch()} />
  if (found.data.length === 0) return <p className="none centre">No requests yet.</p>
  return (
    <div className="scroll" tabIndex={0}>
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col">What</th>
            <th scope="col">Step</th>
            <th scope="col">When</th>
            <th scope="col">Content</th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {[...found.data].reverse().map((r) => (
            <tr key={r.id}>
              <td className="tabular">{r.n}</td>
              <td>
                {r.kind.replaceAll('_', ' ')}
                {r.by ? <span className="faint"> by {r.by}</span> : ''}
              </td>
              <td>{r.step ?? ''}</td>
              <td className="faint">{clock(r.at)}</td>
              <td>{r.body === undefined ? '' : <code className="clip">{JSON.stringify(r.body)}</code>}</td>
              <td className="faint">{r.applied ? (r.outcome ?? 'applied') : 'not applied yet'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
