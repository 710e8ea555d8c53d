import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Forecast, act, preview } from '../api/actions'
import { api } from '../api/client'
import { ok, stateQuery } from '../api/queries'
import { type GraphModel, titleOf } from '../graph/model'
import { pretty } from '../ui/json'
import { Button, Dialog, messageOf } from '../ui/parts'
import { say } from '../ui/toast'
import { Would } from './ActionDialog'
import { behind } from './runAgain'

type Where = 'fork' | 'here'

/** RunAgainDialog repeats a visit: in a new session, or in this one after taking back what ran since. */
export function RunAgainDialog({ session, step, visit, model, onClose }: { session: string; step: string; visit: number; model?: GraphModel; onClose: () => void }) {
  const go = useNavigate()
  const [where, setWhere] = useState<Where>('fork')
  const [until, setUntil] = useState('')
  const [own, setOwn] = useState(false)
  const state = useQuery({ ...stateQuery(session), enabled: own })
  const [text, setText] = useState<string>()
  const [wrong, setWrong] = useState('')
  const [busy, setBusy] = useState('')
  const [would, setWould] = useState<{ would?: Forecast; error?: string }>()
  const given = text ?? (state.data ? pretty(state.data.text) : '')
  const fork = where === 'fork'
  const title = titleOf(model, step)
  const run = async (what: 'preview' | 'do') => {
    setWrong('')
    setBusy(what)
    try {
      if (what === 'preview') setWould(await preview(session, 'rollback', { step, visit }))
      else if (fork) {
        const body = { step, visit, ...(until ? { until: [until] } : {}), ...(own ? { state: parsed(given) } : {}) }
        const s = ok(await api.POST('/api/v1/sessions/{session}/fork', { params: { path: { session } }, body }))
        onClose()
        void go({ to: '/sessions/$session', params: { session: s.id } })
        return
      } else {
        await act(session, 'rollback', { step, visit })
        say(`The session goes on from before visit ${visit} of ${title}.`)
        onClose()
        return
      }
    } catch (error) {
      setWrong(messageOf(error))
    }
    setBusy('')
  }
  const change = (f: () => void) => {
    f()
    setWould(undefined)
  }
  return (
    <Dialog
      title={`Run again from ${title}, visit ${visit}`}
      onClose={onClose}
      wide={own && fork}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button needs="operate" disabled={busy !== '' || (fork && (own || until !== ''))} onClick={() => void run('preview')}>
            {busy === 'preview' ? 'Looking…' : 'Preview'}
          </Button>
          <Button primary needs="operate" disabled={busy !== ''} onClick={() => void run('do')}>
            {fork ? 'Run in a fork' : 'Go back and run'}
          </Button>
        </>
      }
    >
      <fieldset className="one-of">
        <legend className="sr">Where it runs again</legend>
        <label className="check">
          <input type="radio" name="where" checked={fork} onChange={() => change(() => setWhere('fork'))} /> In a fork: a new session. This one stays as it is.
        </label>
        <label className="check">
          <input type="radio" name="where" checked={!fork} onChange={() => change(() => setWhere('here'))} /> In this session: what ran since is taken back. The history keeps it; calls that were made stay made.
        </label>
      </fieldset>
      {fork && (
        <>
          <div className="field">
            <label htmlFor="until">How far</label>
            <select id="until" value={until} onChange={(e) => change(() => setUntil(e.target.value))}>
              <option value="">As far as its paths lead</option>
              <option value={step}>Only this step</option>
              {behind(model, step).map((s) => (
                <option key={s} value={s}>
                  Up to {titleOf(model, s)}
                </option>
              ))}
            </select>
            {until && <p className="help">{titleOf(model, until)} is the last step that runs; “Go on” takes the new session further.</p>}
          </div>
          <label className="check">
            <input type="checkbox" checked={own} onChange={(e) => change(() => setOwn(e.target.checked))} /> Begin with a state of my own
          </label>
          {own && <textarea className="code" rows={16} aria-label="State" value={given} onChange={(e) => setText(e.target.value)} spellCheck={false} />}
        </>
      )}
      {fork && (own || until !== '') && <p className="note">No preview: a dry run is possible only with the stored state and to the end of the paths.</p>}
      <p className="faint">It begins with the state of the session before this visit, and uses the current workflow.</p>
      {wrong && (
        <p className="wrong" role="alert">
          {wrong}
        </p>
      )}
      {would && <Would would={would.would} error={would.error} />}
    </Dialog>
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new Error(`The state is not valid JSON: ${(error as Error).message}`, { cause: error })
  }
}
