import { FileCode } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { questionKey } from '../api/queries'
import type { Message, Question, Session } from '../api/schema'
import { AnswerForm, InputTable } from '../form/Answer'
import { clock } from '../ui/format'
import { Prose } from '../ui/Prose'
import { isMarkdown } from '../ui/markdown'
import { Button } from '../ui/parts'
import { sentencesOf } from '../session/sentences'
import type { Partial } from './live'

/** Lines are a chat's messages. Nothing of a message becomes markup by itself. */
export function Lines({ messages }: { messages: Message[] }) {
  return (
    <ol className="lines">
      {messages.map((m) => (
        <li key={m.id} className={m.role === 'user' ? 'line user' : 'line'} title={clock(m.at)}>
          <span className="sr">{m.role === 'user' ? 'Person: ' : 'Workflow: '}</span>
          {said(m)}
        </li>
      ))}
    </ol>
  )
}

/** said draws a message: an answer to a form as its fields, everything else as a text. */
function said(m: Message) {
  const fields = m.role === 'user' ? fieldsIn(m.content) : undefined
  return fields ? <InputTable value={fields} /> : m.role === 'user' ? <span dir="auto">{m.content}</span> : <Reply text={m.content} />
}

/** Reply is a text of the workflow: drawn as Markdown, or as it was written. */
function Reply({ text }: { text: string }) {
  const [raw, setRaw] = useState(false)
  if (!isMarkdown(text)) return <Prose text={text} />
  return (
    <>
      {raw ? (
        <pre className="raw" tabIndex={0} dir="auto">
          {text}
        </pre>
      ) : (
        <Prose text={text} />
      )}
      <Button quiet className="small" aria-pressed={raw} title="Show the text as it was written" icon={<FileCode size={14} />} onClick={() => setRaw(!raw)}>
        Raw
      </Button>
    </>
  )
}

/** fieldsIn reads an answer that is an object; a text that only begins like one stays a text. */
function fieldsIn(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const value = JSON.parse(text) as Record<string, unknown>
    return Object.keys(value).length > 0 ? value : undefined
  } catch {
    return undefined
  }
}

/** Chat is a session's conversation, with what is being said and what is asked. */
export function Chat({ session, messages, partial, onStop, onAnswered }: { onStop?: () => void; session: Session; messages: Message[]; partial: Partial[]; onAnswered: (s: Session | undefined) => void }) {
  const box = useRef<HTMLDivElement>(null)
  const stick = useRef(true)
  useEffect(() => {
    const e = box.current!
    const note = () => {
      stick.current = e.scrollHeight - e.scrollTop - e.clientHeight < 60
    }
    e.addEventListener('scroll', note)
    return () => e.removeEventListener('scroll', note)
  }, [])
  useLayoutEffect(() => {
    if (stick.current && box.current) box.current.scrollTop = box.current.scrollHeight
  })
  const open = session.awaiting.filter((q) => !q.answered)
  return (
    <section className="chat" aria-label="Conversation" data-region>
      <div ref={box} className="chat-lines" tabIndex={0} aria-label="Messages">
        {messages.length === 0 && partial.length === 0 && <p className="none centre">Nothing has been said yet.</p>}
        <div aria-live="polite">
          <Lines messages={messages} />
        </div>
        {partial.map((p) => (
          <div key={p.key} className="line provisional">
            <Prose text={p.text} />
            <i className="cursor" aria-hidden />
            {onStop && (
              <Button className="small" danger needs="operate" onClick={onStop}>
                Stop…
              </Button>
            )}
          </div>
        ))}
        <div className="sr" role="log" aria-live="polite" aria-label="Being written">
          {partial.flatMap((p) => sentencesOf(p.text).map((s, i) => <p key={`${p.key} ${i}`}>{s}</p>))}
        </div>
      </div>
      {open.map((q) => (
        <div key={questionKey(q)} className="ask">
          {(open.length > 1 || (q.session && q.session !== session.id)) && <p className="faint">{q.name ?? q.step}</p>}
          <AnswerForm session={q.session ?? session.id} question={q} plain={open.length === 1 && lastAsks(messages, q)} onAnswered={onAnswered} />
        </div>
      ))}
    </section>
  )
}

const lastAsks = (messages: Message[], q: Question) => messages[messages.length - 1]?.content === q.prompt
