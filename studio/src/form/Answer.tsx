import { useState } from 'react'
import { answer, jsonOrText, signal } from '../api/actions'
import { Refusal, SentKey } from '../api/client'
import type { Ask } from '../api/queries'
import type { Question, Session } from '../api/schema'
import { cut, kindWords } from '../graph/words'
import { json } from '../ui/format'
import { Button, messageOf } from '../ui/parts'
import { Value } from '../ui/json'
import { Fields } from './Fields'
import { type Field, type Schema, type Texts, fieldOf, fieldsOf, guess, isObject, read, readAll, shown } from './schema'

interface Props {
  session: string
  question: Question
  onAnswered: (session: Session | undefined) => void
  focus?: boolean
  /** The prompt stands above already, as the last line of a chat. */
  plain?: boolean
}

/**
 * The key belongs to what is answered, not to the click: a second click is the same answer, and so is one that is
 * sent again because the server's reply to it was lost. Another text is another answer.
 */
function useSubmit({ session, question, onAnswered }: Props) {
  const [sent] = useState(() => new SentKey())
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState('')
  const [places, setPlaces] = useState<Record<string, string>>({})
  const [late, setLate] = useState<string>()
  const submit = async (response: unknown) => {
    if (busy) return
    setBusy(true)
    setFault('')
    setPlaces({})
    try {
      onAnswered(await answer(session, question, response, sent.of(response)))
    } catch (error) {
      if (error instanceof Refusal && (error.kind === 'already_answered' || error.kind === 'no_open_question')) {
        setLate(error.detail)
        setTimeout(() => onAnswered(undefined), 4000)
      } else {
        sent.after(error)
        const at: Record<string, string> = {}
        const rest: string[] = []
        for (const f of error instanceof Refusal ? error.faults : []) {
          const name = /^\/response\/([^/]+)/.exec(f.pointer ?? '')?.[1]
          if (name) at[name] = f.message
          else rest.push(f.message)
        }
        setPlaces(at)
        setFault(Object.keys(at).length ? rest.join('; ') : messageOf(error))
      }
      setBusy(false)
    }
  }
  return { submit, busy, fault, places, late }
}

/** AnswerForm is how a person answers one question, whatever it wants. */
export function AnswerForm(props: Props) {
  const { question: q } = props
  const s = useSubmit(props)
  if (q.answered) return <p className="note">An answer was accepted; the session goes on with it.</p>
  if (s.late !== undefined) {
    return (
      <div className="note kind" role="status">
        <b>Somebody else was faster.</b> This question has been answered already. {s.late}
      </div>
    )
  }
  return (
    <div className="answer" aria-busy={s.busy}>
      {!props.plain && q.kind !== 'approval' && q.kind !== 'signal' && <p className="prompt" dir="auto">{q.prompt || 'This question has no text.'}</p>}
      {q.gone && <p className="note">The step that asked is no longer in the workflow. An answer is kept; then move the session to another step.</p>}
      {q.kind === 'signal' ? <Signal {...props} /> : q.kind === 'approval' ? <Approval {...props} {...s} /> : q.options?.length && q.kind !== 'question' ? <Choices {...props} {...s} /> : <Open {...props} {...s} />}
      {s.fault && (
        <p className="wrong" role="alert">
          {s.fault}
        </p>
      )}
    </div>
  )
}

type Part = Props & ReturnType<typeof useSubmit>

function Choices({ question: q, submit, busy, focus }: Part) {
  const [words, setWords] = useState('')
  const send = (text: string, value: unknown) => {
    if (q.feedback) return submit({ answer: text, feedback: words || undefined })
    return submit(q.kind === 'select' ? text : (value ?? text))
  }
  return (
    <>
      {q.feedback && (
        <div className="field">
          <label htmlFor="feedback">Feedback</label>
          <textarea id="feedback" rows={2} value={words} onChange={(e) => setWords(e.target.value)} />
        </div>
      )}
      <div className="choices">
        {q.options!.map((o, i) => (
          <Button needs="answer" key={o.text} primary={q.kind === 'confirm' && i === 0} disabled={busy} autoFocus={focus && i === 0} onClick={() => void send(o.text, o.value)}>
            {o.text}
          </Button>
        ))}
      </div>
    </>
  )
}

function Open({ question: q, submit, busy, places, focus, plain }: Part) {
  const schema = (isObject(q.schema) ? q.schema : undefined) as Schema | undefined
  const many = schema ? fieldsOf(schema) : undefined
  const single: Field = fieldOf('', schema ?? { type: 'string', format: 'multiline' }, true)
  const fields = many ?? [single]
  const [texts, setTexts] = useState<Texts>(() => Object.fromEntries(fields.map((f) => [f.name, shown(f, f.schema.default)])))
  const [faults, setFaults] = useState<Record<string, string>>({})
  const send = () => {
    if (many) {
      const got = readAll(many, texts)
      setFaults(got.faults)
      if (Object.keys(got.faults).length === 0) void submit(got.value)
      return
    }
    const got = read(single, texts[''])
    if ('fault' in got) setFaults({ '': got.fault })
    else if ('value' in got) void submit(got.value)
  }
  const all = { ...places, ...faults }
  return (
    <form
      noValidate
      onSubmit={(e) => {
        e.preventDefault()
        send()
      }}
      onKeyDown={(e) => {
        const area = (e.target as HTMLElement).tagName === 'TEXTAREA'
        if (e.key === 'Enter' && area && !many && !e.shiftKey && !e.nativeEvent.isComposing) {
          e.preventDefault()
          send()
        }
      }}
    >
      {q.options?.length ? (
        <div className="chips">
          {q.options.map((o) => (
            <Button needs="answer" key={o.text} className="small" disabled={busy} onClick={() => void submit(o.text)}>
              {o.text}
            </Button>
          ))}
        </div>
      ) : null}
      {plain && !many && single.control === 'long' ? (
        <div className="chat-box">
          <textarea dir="auto" aria-label="Your answer" rows={2} autoFocus={focus} placeholder="Write an answer; Enter sends it" value={String(texts[''] ?? '')} onChange={(e) => setTexts({ '': e.target.value })} />
          <Button primary needs="answer" type="submit" disabled={busy}>
            Send
          </Button>
          {all[''] && <p className="fault">{all['']}</p>}
        </div>
      ) : (
        <>
          <Fields fields={fields} texts={texts} faults={all} focusFirst={focus} onChange={(name, v) => setTexts({ ...texts, [name]: v })} />
          <div className="row end">
            <Button primary needs="answer" type="submit" disabled={busy}>
              {busy ? 'Sending…' : 'Send answer'}
            </Button>
          </div>
        </>
      )}
    </form>
  )
}

/** A signal usually comes from another system; a person may send it in its place. */
function Signal({ session, question: q, onAnswered }: Props) {
  const [body, setBody] = useState('')
  const [wrong, setWrong] = useState('')
  const send = async (e: React.FormEvent) => {
    e.preventDefault()
    setWrong('')
    try {
      onAnswered(await signal(session, q.prompt, body.trim() ? jsonOrText(body) : undefined))
    } catch (error) {
      setWrong(messageOf(error))
    }
  }
  return (
    <form onSubmit={(e) => void send(e)}>
      <p>
        Waits for the signal <b>{q.prompt}</b>, usually from another system.
      </p>
      <div className="row">
        <input aria-label="What comes with the signal" placeholder="What comes with it, if anything" value={body} onChange={(e) => setBody(e.target.value)} />
        <Button needs="operate" type="submit">Send the signal</Button>
      </div>
      {wrong && (
        <p className="wrong" role="alert">
          {wrong}
        </p>
      )}
    </form>
  )
}

function Approval({ question, submit, busy, places, focus }: Part) {
  const q: Ask = question
  const [mode, setMode] = useState<'look' | 'change' | 'reject'>('look')
  const [reason, setReason] = useState('')
  const input = q.input
  const fields = isObject(input) ? fieldsOf(guess(input)) : undefined
  const [texts, setTexts] = useState<Texts>(() => Object.fromEntries((fields ?? []).map((f) => [f.name, shown(f, (input as Record<string, unknown>)[f.name])])))
  const [whole, setWhole] = useState(() => (input === undefined ? '{}' : json(input)))
  const [faults, setFaults] = useState<Record<string, string>>({})
  const approveChanged = () => {
    if (fields) {
      const got = readAll(fields, texts)
      setFaults(got.faults)
      if (Object.keys(got.faults).length === 0) void submit({ approved: true, input: got.value })
      return
    }
    try {
      void submit({ approved: true, input: JSON.parse(whole) as unknown })
    } catch (error) {
      setFaults({ '': `This is not valid JSON: ${(error as Error).message}` })
    }
  }
  return (
    <>
      <p className="prompt" dir="auto">{q.prompt}</p>
      {mode !== 'change' && (
        <section className="approves" aria-label="What is to be approved" tabIndex={0}>
          <h4>
            {q.name ?? (q.function ? kindWords(q.function) : 'What it will do')} {q.function && <code>{q.function}</code>}
          </h4>
          {isObject(input) ? <InputTable value={input} /> : input !== undefined ? <Value value={input} label="Input" /> : <p className="none">The server does not show this step's input.</p>}
        </section>
      )}
      {mode === 'change' &&
        (fields ? (
          <Fields fields={fields.map((f) => (texts[f.name] === shown(f, (input as Record<string, unknown>)[f.name]) ? f : { ...f, help: `It was: ${cut(plainText((input as Record<string, unknown>)[f.name]), 120)}` }))} texts={texts} faults={{ ...places, ...faults }} focusFirst onChange={(name, v) => setTexts({ ...texts, [name]: v })} />
        ) : (
          <div className="field">
            <label htmlFor="whole-input">Input</label>
            <textarea id="whole-input" className="code" rows={6} value={whole} onChange={(e) => setWhole(e.target.value)} />
            {faults[''] && <p className="fault">{faults['']}</p>}
          </div>
        ))}
      {mode === 'reject' && (
        <div className="field">
          <label htmlFor="reason">Reason (shown to the workflow)</label>
          <textarea id="reason" rows={2} autoFocus value={reason} onChange={(e) => setReason(e.target.value)} />
        </div>
      )}
      <div className="choices">
        {mode === 'look' && (
          <>
            <Button primary needs="answer" disabled={busy} autoFocus={focus} onClick={() => void submit({ approved: true })}>
              Approve
            </Button>
            <Button needs="answer" disabled={busy} onClick={() => setMode('change')}>
              Approve with changes…
            </Button>
            <Button danger needs="answer" disabled={busy} onClick={() => setMode('reject')}>
              Reject…
            </Button>
          </>
        )}
        {mode === 'change' && (
          <Button primary disabled={busy} onClick={approveChanged}>
            Approve with these changes
          </Button>
        )}
        {mode === 'reject' && (
          <Button danger disabled={busy} onClick={() => void submit({ approved: false, ...(reason ? { reason } : {}) })}>
            Reject
          </Button>
        )}
        {mode !== 'look' && (
          <Button quiet disabled={busy} onClick={() => setMode('look')}>
            Back
          </Button>
        )}
      </div>
    </>
  )
}

const plainText = (v: unknown) => (typeof v === 'string' ? v : v === undefined ? 'nothing' : JSON.stringify(v))

/** InputTable shows an input field by field: a person reads names and texts, not JSON. */
export function InputTable({ value }: { value: Record<string, unknown> }) {
  return (
    <table className="input-table">
      <tbody>
        {Object.entries(value).map(([k, v]) => (
          <tr key={k}>
            <th scope="row">{k}</th>
            <td dir="auto">{typeof v === 'string' ? v : <code>{JSON.stringify(v)}</code>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
