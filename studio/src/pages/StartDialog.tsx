import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { start } from '../api/actions'
import type { Workflow } from '../api/schema'
import { Fields } from '../form/Fields'
import { type Texts, fieldOf, readAll } from '../form/schema'
import { inputsOf } from '../graph/inputs'
import { Button, Dialog, messageOf } from '../ui/parts'

/** StartDialog asks for what the workflow's steps refer to and no step puts out. */
export function StartDialog({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
  const go = useNavigate()
  const inputs = useMemo(() => inputsOf(workflow), [workflow])
  const fields = useMemo(() => inputs.map((i) => ({ ...fieldOf(i.name, { default: i.initial, format: 'multiline' }, false), control: 'long' as const })), [inputs])
  const [texts, setTexts] = useState<Texts>({})
  const [more, setMore] = useState('')
  const [entry, setEntry] = useState('')
  const [label, setLabel] = useState('')
  const [id, setId] = useState('')
  const [wrong, setWrong] = useState('')
  const [busy, setBusy] = useState(false)
  const hasRoot = workflow.steps?.some((s) => s.id === 'root')
  const submit = async (e: React.FormEvent) => {
    e.preventDefault()
    setWrong('')
    let given: Record<string, unknown> = readAll(fields, texts).value
    for (const [k, v] of Object.entries(given)) given[k] = maybeJSON(v)
    if (more.trim()) {
      try {
        given = { ...given, ...(JSON.parse(more) as Record<string, unknown>) }
      } catch (error) {
        return setWrong(`Further inputs: this is not valid JSON. ${(error as Error).message}`)
      }
    }
    setBusy(true)
    try {
      const session = await start({
        workflow: workflow.id!,
        ...(entry ? { entry } : {}),
        ...(id.trim() ? { id: id.trim() } : {}),
        ...(Object.keys(given).length ? { inputs: given } : {}),
        ...(label.trim() ? { labels: labelsOf(label) } : {}),
      })
      void go({ to: '/sessions/$session', params: { session: session.id } })
    } catch (error) {
      setWrong(messageOf(error))
      setBusy(false)
    }
  }
  return (
    <Dialog title={`Start ${workflow.name || workflow.id}`} onClose={onClose}>
      <form id="start" onSubmit={(e) => void submit(e)}>
        {fields.length > 0 ? <Fields fields={fields} texts={texts} faults={{}} focusFirst onChange={(n, v) => setTexts({ ...texts, [n]: v })} /> : <p className="none">This workflow takes no inputs of its own.</p>}
        <details open={!hasRoot}>
          <summary>More</summary>
          <div className="fields">
            <div className="field">
              <label htmlFor="entry">Entry step</label>
              <select id="entry" value={entry} onChange={(e) => setEntry(e.target.value)}>
                <option value="">root{hasRoot ? '' : ' (this workflow has none)'}</option>
                {workflow.steps?.filter((s) => s.id !== 'root').map((s) => (
                  <option key={s.id} value={s.id}>
                    {s.id}
                  </option>
                ))}
              </select>
            </div>
            <div className="field">
              <label htmlFor="more">Further inputs, a JSON object</label>
              <textarea id="more" className="code" rows={3} value={more} placeholder='{"name": "Ada"}' spellCheck={false} onChange={(e) => setMore(e.target.value)} />
            </div>
            <div className="field">
              <label htmlFor="labels">Labels</label>
              <input id="labels" value={label} placeholder="team=blue, order=17" onChange={(e) => setLabel(e.target.value)} />
            </div>
            <div className="field">
              <label htmlFor="session-id">Session id</label>
              <input id="session-id" value={id} placeholder="made for you" onChange={(e) => setId(e.target.value)} />
            </div>
          </div>
        </details>
        {wrong && (
          <p className="wrong" role="alert">
            {wrong}
          </p>
        )}
        <div className="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button primary needs="answer" type="submit" disabled={busy} autoFocus={fields.length === 0}>
            {busy ? 'Starting…' : 'Start'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** A list or an object typed into a field is meant as one. */
function maybeJSON(v: unknown): unknown {
  if (typeof v !== 'string' || !/^\s*[[{]/.test(v)) return v
  try {
    return JSON.parse(v)
  } catch {
    return v
  }
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split(',')
      .map((p) => p.split('='))
      .filter(([k]) => k.trim() !== '')
      .map(([k, ...v]) => [k.trim(), v.join('=').trim()]),
  )
}
