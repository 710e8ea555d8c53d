import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/client'
import { ok, stateQuery } from '../api/queries'
import { Button, Dialog, messageOf } from '../ui/parts'

/** ForkDialog makes a new session that goes on from a visit, with its state edited on request. */
export function ForkDialog({ session, step, visit, onClose }: { session: string; step: string; visit: number; onClose: () => void }) {
  const go = useNavigate()
  const [own, setOwn] = useState(false)
  const state = useQuery({ ...stateQuery(session), enabled: own })
  const [text, setText] = useState<string>()
  const [wrong, setWrong] = useState('')
  const [busy, setBusy] = useState(false)
  const pretty = text ?? (state.data ? format(state.data.text) : '')
  const fork = async () => {
    setWrong('')
    let given: unknown
    if (own) {
      try {
        given = JSON.parse(pretty)
      } catch (error) {
        return setWrong(`The state is not valid JSON: ${(error as Error).message}`)
      }
    }
    setBusy(true)
    try {
      const s = ok(await api.POST('/api/v1/sessions/{session}/fork', { params: { path: { session } }, body: { step, visit, ...(own ? { state: given } : {}) } }))
      onClose()
      void go({ to: '/sessions/$session', params: { session: s.id } })
    } catch (error) {
      setWrong(messageOf(error))
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={`Fork at ${step}, visit ${visit}`}
      onClose={onClose}
      wide={own}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button primary needs="operate" disabled={busy} onClick={() => void fork()}>
            {busy ? 'Forking…' : 'Fork'}
          </Button>
        </>
      }
    >
      <p>A new session begins where this one stood when it ran the step, and runs it again with the workflow as it is now. This session stays as it is.</p>
      <label className="check">
        <input type="checkbox" checked={own} onChange={(e) => setOwn(e.target.checked)} /> Begin with a state of my own
      </label>
      {own && <textarea className="code" rows={16} aria-label="State" value={pretty} onChange={(e) => setText(e.target.value)} spellCheck={false} />}
      {wrong && (
        <p className="wrong" role="alert">
          {wrong}
        </p>
      )}
    </Dialog>
  )
}

function format(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
