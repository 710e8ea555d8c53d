import { useEffect, useLayoutEffect, useRef } from 'react'
import { questionKey } from '../api/queries'
import type { Message, Question, Session } from '../api/schema'
import { AnswerForm } from '../form/Answer'
import { clock } from '../ui/format'
import type { Partial } from './live'

/** Lines are a chat's messages. Links can be clicked; nothing of a message becomes markup. */
export function Lines({ messages }: { messages: Message[] }) {
  return (
    <ol className="lines">
      {messages.map((m) => (
        <li key={m.id} className={m.role === 'user' ? 'line user' : 'line'} title={clock(m.at)}>
          <span className="sr">{m.role === 'user' ? 'Person: ' : 'Workflow: '}</span>
          <Words text={m.content} />
        </li>
      ))}
    </ol>
  )
}

const LINK = /https?:\/\/[^\s<>"')\]]+[^\s<>"')\].,;:!?]/g

function Words({ text }: { text: string }) {
  const out: React.ReactNode[] = []
  let at = 0
  for (const m of text.matchAll(LINK)) {
    out.push(text.slice(at, m.index))
    out.push(
      <a key={m.index} href={m[0]} target="_blank" rel="noreferrer">
        {m[0]}
      </a>,
    )
    at = m.index + m[0].length
  }
  out.push(text.slice(at))
  return <span>{out}</span>
}

/** Chat is a session's conversation, with what is being said and what is asked. */
export function Chat({ session, messages, partial, onAnswered }: { session: Session; messages: Message[]; partial: Partial[]; onAnswered: (s: Session | undefined) => void }) {
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
            {p.text}
            <i className="cursor" aria-hidden />
          </div>
        ))}
      </div>
      {open.map((q) => (
        <div key={questionKey(q)} className="ask">
          {(open.length > 1 || (q.session && q.session !== session.id)) && <p className="faint">{q.step}</p>}
          <AnswerForm session={q.session ?? session.id} question={q} plain={open.length === 1 && lastAsks(messages, q)} onAnswered={onAnswered} />
        </div>
      ))}
    </section>
  )
}

const lastAsks = (messages: Message[], q: Question) => messages[messages.length - 1]?.content === q.prompt
