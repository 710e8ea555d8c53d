import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Action, type BatchAction, type BatchOptions, type Chosen, batch, jsonOrText } from '../api/actions'
import { plural } from '../ui/format'
import { Button, Dialog, messageOf } from '../ui/parts'
import { ActionFields } from './ActionDialog'
import { ACTIONS } from './actions'

const ORDER: BatchAction[] = ['answer', 'resume', 'retry', 'advance', 'move', 'reask', 'rollback', 'pause', 'cancel', 'delete']

/** BatchDialog does one thing to many sessions; a dry run comes first unless it is waved through. */
export function BatchDialog({ chosen, count, step, first = 'resume', onClose }: { chosen: Chosen; count: number; workflow?: string; step?: string; first?: BatchAction; onClose: () => void }) {
  const go = useNavigate()
  const [action, setAction] = useState<BatchAction>(first)
  const [o, setO] = useState<BatchOptions>({ step })
  const [response, setResponse] = useState('')
  const [rate, setRate] = useState('')
  const [only, setOnly] = useState('')
  const [stop, setStop] = useState('')
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState('')
  const about = ACTIONS[action]
  const run = async (dry: boolean) => {
    setWrong('')
    setBusy(true)
    try {
      const id = await batch(action, chosen, { ...pick(action, o), ...numbers({ rate, first: only, stop_after_failures: stop }), ...(action === 'answer' ? { response: jsonOrText(response) } : {}) }, dry)
      void go({ to: '/batches/$batch', params: { batch: id } })
    } catch (error) {
      setWrong(messageOf(error))
      setBusy(false)
    }
  }
  const ready = (action !== 'answer' || response.trim() !== '') && ((action !== 'advance' && action !== 'rollback') || o.step) && (action !== 'move' || o.to)
  return (
    <Dialog
      title={`Do something with ${plural(count, 'session')}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button needs="operate" danger={about.danger} disabled={busy || !ready} onClick={() => void run(false)}>
            {about.text} {plural(count, 'session')}
          </Button>
          <Button needs="operate" primary disabled={busy || !ready} onClick={() => void run(true)}>
            Dry run first
          </Button>
        </>
      }
    >
      <div className="field">
        <label htmlFor="batch-action">Action</label>
        <select id="batch-action" autoFocus value={action} onChange={(e) => setAction(e.target.value as BatchAction)}>
          {ORDER.map((a) => (
            <option key={a} value={a}>
              {ACTIONS[a].text}
            </option>
          ))}
        </select>
        <p className="help">{about.does}</p>
      </div>
      {action === 'answer' && (
        <div className="field">
          <label htmlFor="batch-response">Answer (a text, or JSON)</label>
          <textarea id="batch-response" rows={2} value={response} onChange={(e) => setResponse(e.target.value)} />
        </div>
      )}
      {action === 'delete' ? (
        <label className="check">
          <input type="checkbox" checked={o.cancel ?? false} onChange={(e) => setO({ ...o, cancel: e.target.checked })} /> Cancel those that have not ended
        </label>
      ) : (
        <ActionFields action={action === 'answer' ? ('reask' as Action) : action} o={o} steps={[]} onChange={(more) => setO({ ...o, ...more })} />
      )}
      <details>
        <summary>How fast, how many</summary>
        <div className="fields three">
          <div className="field">
            <label htmlFor="batch-rate">At most a second</label>
            <input id="batch-rate" inputMode="decimal" value={rate} placeholder="as fast as it goes" onChange={(e) => setRate(e.target.value)} />
          </div>
          <div className="field">
            <label htmlFor="batch-first">Only the first</label>
            <input id="batch-first" inputMode="numeric" value={only} placeholder="all" onChange={(e) => setOnly(e.target.value)} />
          </div>
          <div className="field">
            <label htmlFor="batch-stop">Stop after failures</label>
            <input id="batch-stop" inputMode="numeric" value={stop} placeholder="never" onChange={(e) => setStop(e.target.value)} />
          </div>
        </div>
      </details>
      {wrong && (
        <p className="wrong" role="alert">
          {wrong}
        </p>
      )}
    </Dialog>
  )
}

/** Only what an action takes is sent with it. */
function pick(action: BatchAction, o: BatchOptions): BatchOptions {
  const wants = ACTIONS[action].wants
  return Object.fromEntries(Object.entries(o).filter(([k, v]) => v !== undefined && (wants as string[]).includes(k)))
}

function numbers(texts: Record<string, string>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(texts)
      .map(([k, v]) => [k, Number(v)] as const)
      .filter(([, v]) => v > 0),
  )
}
