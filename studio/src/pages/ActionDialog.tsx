import { useState } from 'react'
import { type Action, type ActionOptions, type Forecast, act, preview } from '../api/actions'
import { lookOf } from '../ui/parts'
import { Button, Dialog, StatusIcon, messageOf } from '../ui/parts'
import { say } from '../ui/toast'
import { ACTIONS } from './actions'

/** ActionDialog does one thing to one session, and shows first what would come of it. */
export function ActionDialog({ session, action, step, steps, onClose, onDone }: { session: string; action: Action; step?: string; steps: string[]; onClose: () => void; onDone: () => void }) {
  const about = ACTIONS[action]
  const [o, setO] = useState<ActionOptions>({ step })
  const [busy, setBusy] = useState('')
  const [wrong, setWrong] = useState('')
  const [would, setWould] = useState<{ would?: Forecast; error?: string }>()
  const complete = ((action !== 'advance' && action !== 'rollback') || o.step) && (action !== 'move' || o.to)
  const run = async (what: 'preview' | 'do') => {
    setBusy(what)
    setWrong('')
    try {
      if (what === 'preview') setWould(await preview(session, action, o))
      else {
        await act(session, action, o)
        say(`${about.text}: done.`)
        onDone()
        onClose()
        return
      }
    } catch (error) {
      setWrong(messageOf(error))
    }
    setBusy('')
  }
  const change = (more: ActionOptions) => {
    setO({ ...o, ...more })
    setWould(undefined)
  }
  return (
    <Dialog
      title={about.text}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button needs="operate" disabled={busy !== '' || !complete} onClick={() => void run('preview')}>
            {busy === 'preview' ? 'Looking…' : 'Preview'}
          </Button>
          <Button needs="operate" primary={!about.danger} danger={about.danger} disabled={busy !== '' || !complete} onClick={() => void run('do')}>
            {about.text}
          </Button>
        </>
      }
    >
      <p>{about.does}</p>
      <ActionFields action={action} o={o} steps={steps} onChange={change} />
      {wrong && (
        <p className="wrong" role="alert">
          {wrong}
        </p>
      )}
      {would && <Would would={would.would} error={would.error} />}
    </Dialog>
  )
}

export function ActionFields({ action, o, steps, onChange }: { action: Action; o: ActionOptions; steps: string[]; onChange: (o: ActionOptions) => void }) {
  const wants = ACTIONS[action].wants
  return (
    <div className="fields">
      {wants.includes('step') && (
        <div className="field">
          <label htmlFor="action-step">{action === 'move' ? 'From' : 'Step'}</label>
          <input id="action-step" list="action-steps" value={o.step ?? ''} placeholder={action === 'advance' || action === 'rollback' ? 'a finished step' : 'all that it concerns'} onChange={(e) => onChange({ step: e.target.value || undefined })} />
        </div>
      )}
      {wants.includes('to') && (
        <div className="field">
          <label htmlFor="action-to">To</label>
          <input id="action-to" list="action-steps" required value={o.to ?? ''} onChange={(e) => onChange({ to: e.target.value || undefined })} />
        </div>
      )}
      <datalist id="action-steps">
        {steps.map((s) => (
          <option key={s} value={s} />
        ))}
      </datalist>
      {wants.includes('reason') && (
        <div className="field">
          <label htmlFor="action-reason">Reason</label>
          <input id="action-reason" value={o.reason ?? ''} placeholder="for those who look later" onChange={(e) => onChange({ reason: e.target.value || undefined })} />
        </div>
      )}
      {wants.includes('new_key') && (
        <label className="check">
          <input type="checkbox" checked={o.new_key ?? false} onChange={(e) => onChange({ new_key: e.target.checked || undefined })} /> Call under a new idempotency key
        </label>
      )}
    </div>
  )
}

/** Would is what a dry run says. */
export function Would({ would, error }: { would?: Forecast; error?: string }) {
  if (error) return <p className="wrong">This would fail: {error}</p>
  if (!would) return <p className="note">The server did not say what would happen.</p>
  const ran = would.steps.filter((s) => s.status !== 'cancelled') // a step that is closed does not run
  return (
    <section className="would" aria-label="Preview" role="status">
      <h3>
        <StatusIcon status={would.status} /> It would then be {lookOf(would.status).text.toLowerCase()}
      </h3>
      {ran.length > 0 && <p>Runs: {ran.map((s) => s.step).join(', ')}.</p>}
      {would.calls?.map((c, i) => (
        <p key={i}>
          Calls <code>{c.function}</code> at {c.step}.
        </p>
      ))}
      {would.awaiting?.map((q, i) => (
        <p key={i}>
          Asks at {q.step}: {q.prompt}
        </p>
      ))}
      {would.problems?.map((p, i) => (
        <p key={i} className="wrong">
          {p.step}: {p.message}
        </p>
      ))}
      {ran.length === 0 && !would.calls?.length && !would.awaiting?.length && <p>Nothing else would run.</p>}
    </section>
  )
}
