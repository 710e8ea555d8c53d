import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { start } from '../api/actions'
import { SentKey } from '../api/client'
import { client, newestQuery, readDocument, stateQuery } from '../api/queries'
import type { Workflow } from '../api/schema'
import { Fields } from '../form/Fields'
import { type Texts, fieldOf, readAll } from '../form/schema'
import { inputsOf } from '../graph/inputs'
import { cutOf, wholeOf } from '../session/whole'
import type { StateText } from '../session/run'
import { ago, short } from '../ui/format'
import { Button, Dialog, lookOf, messageOf } from '../ui/parts'
import { newestOf } from './runAgain'

/** StartDialog asks for what the workflow's steps refer to and no step puts out. */
export function StartDialog({ workflow, entry: begin = '', until = [], onClose }: { workflow: Workflow; entry?: string; until?: string[]; onClose: () => void }) {
  const go = useNavigate()
  const inputs = useMemo(() => inputsOf(workflow), [workflow])
  const fields = useMemo(() => inputs.map((i) => ({ ...fieldOf(i.name, { default: i.initial, format: 'multiline' }, false), control: 'long' as const })), [inputs])
  const [texts, setTexts] = useState<Texts>({})
  const [more, setMore] = useState('')
  const [entry, setEntry] = useState(begin)
  const [ends, setEnds] = useState(until)
  const sessions = useQuery(newestQuery(workflow.id!)).data
  const [chosen, setFrom] = useState<string>()
  const from = chosen ?? (begin && begin !== 'root' ? sessions?.[0]?.id : undefined) ?? ''
  const name = (id: string) => workflow.steps?.find((s) => s.id === id)?.name || id
  const [label, setLabel] = useState('')
  const [id, setId] = useState('')
  const [wrong, setWrong] = useState('')
  const [busy, setBusy] = useState(false)
  const [sent] = useState(() => new SentKey())
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
      const body = {
        workflow: workflow.id!,
        ...(entry ? { entry } : {}),
        ...(ends.length ? { until: ends } : {}),
        ...(from ? { outputs: await valuesOf(from) } : {}),
        ...(id.trim() ? { id: id.trim() } : {}),
        ...(Object.keys(given).length ? { inputs: given } : {}),
        ...(label.trim() ? { labels: labelsOf(label) } : {}),
      }
      const session = await start(body, sent.of(body))
      void go({ to: '/sessions/$session', params: { session: session.id } })
    } catch (error) {
      sent.after(error)
      setWrong(messageOf(error))
      setBusy(false)
    }
  }
  return (
    <Dialog title={`${begin ? `Run ${name(begin)} of` : 'Start'} ${workflow.name || workflow.id}`} onClose={onClose}>
      {ends.length > 0 && (
        <p className="note">
          It ends after {ends.map(name).join(', ')}: paths from there are not followed. “Go on” takes the session further.
        </p>
      )}
      <form id="start" onSubmit={(e) => void submit(e)}>
        {fields.length > 0 ? <Fields fields={fields} texts={texts} faults={{}} focusFirst onChange={(n, v) => setTexts({ ...texts, [n]: v })} /> : <p className="none">This workflow takes no inputs of its own.</p>}
        <details open={!hasRoot || begin !== '' || ends.length > 0}>
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
              <label htmlFor="ends">End after</label>
              <select id="ends" value={ends.length > 1 ? SEVERAL : (ends[0] ?? '')} onChange={(e) => setEnds(e.target.value ? [e.target.value] : [])}>
                <option value="">as far as its paths lead</option>
                {ends.length > 1 && <option value={SEVERAL}>{ends.map(name).join(', ')}</option>}
                {workflow.steps?.map((s) => (
                  <option key={s.id} value={s.id}>
                    {s.name || s.id}
                  </option>
                ))}
              </select>
            </div>
            <div className="field">
              <label htmlFor="values">Values of a past session</label>
              <select id="values" value={from} onChange={(e) => setFrom(e.target.value)}>
                <option value="">none: references to steps that have not run have no value</option>
                {sessions?.map((s) => (
                  <option key={s.id} value={s.id}>
                    {short(s.id)}, {lookOf(s.status).text.toLowerCase()}, {ago(s.created_at)}
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
        {(begin !== '' || ends.length > 0) && <p className="faint">No preview: a dry run needs a session that exists, and this one begins with the start.</p>}
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

/** The value of the choice that stands for several steps. */
const SEVERAL = '\n'

/** valuesOf are the newest outputs of a past session, large ones whole. */
async function valuesOf(session: string): Promise<Record<string, unknown>> {
  const { text } = await client.fetchQuery({ ...stateQuery(session), staleTime: 0 })
  const values = newestOf((JSON.parse(text) as StateText).data?.outputs)
  if (!Object.values(values).some(cutOf)) return values
  const document = await readDocument(session)
  return Object.fromEntries(Object.entries(values).map(([k, v]) => [k, cutOf(v) ? wholeOf(document, cutOf(v)!.hash) : v]))
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
