import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowLeft, Coffee, Database, ExternalLink } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { api } from '../api/client'
import { countsQuery, ok, questionKey, sessionQuery, workflowsQuery } from '../api/queries'
import type { Question } from '../api/schema'
import { AnswerForm } from '../form/Answer'
import { cypherOfAwaiting } from '../graph/cypher'
import { CypherDialog } from '../ui/cypher'
import { ago, clock, count, short } from '../ui/format'
import { Button, Empty, ErrorState, Loading } from '../ui/parts'
import { say } from '../ui/toast'
import { Lines } from './Chat'

const KINDS: [string, string][] = [
  ['question', 'Questions'],
  ['approval', 'Approvals'],
  ['confirm', 'Yes or no'],
  ['select', 'Choices'],
]

/** Inbox is everything that waits for a person, over all workflows, the oldest first. */
export function Inbox() {
  const search = useSearch({ from: '/inbox' })
  const go = useNavigate({ from: '/inbox' })
  const filter = { workflow: search.workflow, q: search.q }
  const list = useInfiniteQuery({
    queryKey: ['awaiting', filter],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) => ok(await api.GET('/api/v1/awaiting', { params: { query: { ...filter, limit: 100, cursor: pageParam || undefined } }, signal })),
    getNextPageParam: (last) => last.next,
    refetchInterval: 5000,
  })
  const places = useQuery(countsQuery('step', {})).data?.counts
  const defined = useQuery(workflowsQuery).data
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set())
  const items = useMemo(() => {
    const all = (list.data?.pages ?? []).flatMap((p) => p.items)
    return all.filter((q) => q.kind !== 'signal' && !q.answered && !gone.has(questionKey(q)) && (!search.kind || q.kind === search.kind))
  }, [list.data, gone, search.kind])
  const workflows = useMemo(() => [...new Set(Object.keys(places ?? {}).map((k) => k.slice(0, k.indexOf('/'))))].sort(), [places])
  const total = useMemo(() => Object.entries(places ?? {}).reduce((sum, [k, n]) => sum + (!search.workflow || k.startsWith(search.workflow + '/') ? n : 0), 0), [places, search.workflow])
  const names = useMemo(() => new Map((defined ?? []).map((w) => [w.id, w.name || w.id])), [defined])
  const found = items.find((q) => questionKey(q) === search.open)
  // A question that somebody else answers leaves the list. Who is reading it keeps it with what was typed, and is told.
  const [read, setRead] = useState<Question>()
  if (found && found !== read) setRead(found)
  const open = found ?? (read && questionKey(read) === search.open && !gone.has(search.open) ? read : undefined)
  const choose = (q: Question | undefined) => void go({ search: (s) => ({ ...s, open: q && questionKey(q) }), replace: true })
  const [cypher, setCypher] = useState(false)
  const filtered = Boolean(search.q || search.workflow || search.kind)

  return (
    <div className={open ? 'inbox reading' : 'inbox'}>
      <section className="inbox-list" aria-label="What waits">
        <header>
          <div className="row between">
          <h1>
            Inbox {total > 0 && !search.q && !search.kind && <span className="faint">{count(total)}</span>}
          </h1>
            <Button quiet aria-label="Show Cypher" title="Show Cypher" icon={<Database size={16} />} onClick={() => setCypher(true)} />
          </div>
          <input type="search" aria-label="Search what waits" placeholder="Search" value={search.q ?? ''} onChange={(e) => void go({ search: (s) => ({ ...s, q: e.target.value || undefined }), replace: true })} />
          <div className="row">
            <select aria-label="Workflow" value={search.workflow ?? ''} onChange={(e) => void go({ search: (s) => ({ ...s, workflow: e.target.value || undefined }), replace: true })}>
              <option value="">All workflows</option>
              {workflows.map((w) => (
                <option key={w} value={w}>
                  {names.get(w) ?? w}
                </option>
              ))}
            </select>
            <select aria-label="Kind" value={search.kind ?? ''} onChange={(e) => void go({ search: (s) => ({ ...s, kind: e.target.value || undefined }), replace: true })}>
              <option value="">All kinds</option>
              {KINDS.map(([v, t]) => (
                <option key={v} value={v}>
                  {t}
                </option>
              ))}
            </select>
          </div>
        </header>
        {list.isPending && <Loading what="the inbox" />}
        {list.isError && !list.data && <ErrorState error={list.error} again={() => void list.refetch()} />}
        {list.data && items.length === 0 && !list.hasNextPage && (
          <Empty title={filtered ? 'Nothing that waits fits this filter' : 'Nothing waits for you'} icon={<Coffee size={28} />}>
            {filtered ? <Button onClick={() => void go({ search: {} })}>Clear the filter</Button> : <p>Questions and approvals of all sessions will show up here by themselves.</p>}
          </Empty>
        )}
        <List items={items} open={search.open} onOpen={choose} names={names} more={list.hasNextPage} onMore={() => !list.isFetching && void list.fetchNextPage()} />
      </section>
      <section className="inbox-detail" aria-label="Question" data-region>
        {open ? (
          <Detail
            key={questionKey(open)}
            question={open}
            title={names.get(open.workflow ?? '')}
            onBack={() => choose(undefined)}
            onAnswered={(done) => {
              const at = items.indexOf(open)
              setGone((g) => new Set(g).add(questionKey(open)))
              choose(items[at + 1] ?? items[at - 1])
              if (done) say('Sent. The session goes on.')
              void list.refetch()
            }}
          />
        ) : (
          items.length > 0 && (
            <Empty title="Choose what to answer">
              <p>The oldest question is at the top.</p>
            </Empty>
          )
        )}
      </section>
      {cypher && <CypherDialog title="Cypher of what waits" statements={cypherOfAwaiting(filter)} onClose={() => setCypher(false)} />}
    </div>
  )
}

function List({ items, names, open, onOpen, more, onMore }: { items: Question[]; names: Map<string, string>; open?: string; onOpen: (q: Question) => void; more: boolean; onMore: () => void }) {
  const box = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({ count: items.length, getScrollElement: () => box.current, estimateSize: () => 76, overscan: 8, getItemKey: (i) => questionKey(items[i]) })
  const shown = rows.getVirtualItems()
  const last = shown[shown.length - 1]?.index ?? 0
  useEffect(() => {
    if (more && last >= items.length - 10) onMore()
  }, [more, last, items.length, onMore])
  const move = (e: React.KeyboardEvent) => {
    if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') return
    e.preventDefault()
    const at = items.findIndex((q) => questionKey(q) === open)
    const next = items[Math.max(0, Math.min(items.length - 1, at + (e.key === 'ArrowDown' ? 1 : -1)))]
    if (!next) return
    onOpen(next)
    rows.scrollToIndex(items.indexOf(next))
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('[aria-current=true]')?.focus())
  }
  return (
    <div ref={box} className="inbox-rows" onKeyDown={move} data-region>
      <ul style={{ height: rows.getTotalSize() }}>
        {shown.map((v) => {
          const q = items[v.index]
          const key = questionKey(q)
          return (
            <li key={key} style={{ transform: `translateY(${v.start}px)` }}>
              <button type="button" className="inbox-row" aria-current={key === open ? 'true' : undefined} onClick={() => onOpen(q)}>
                <span className="inbox-top">
                  <b>{names.get(q.workflow ?? '') ?? q.workflow ?? q.step}</b>
                  <span className="faint" title={clock(q.since)}>
                    {ago(q.since)}
                  </span>
                </span>
                <span className="inbox-prompt" dir="auto">{q.prompt || 'A question without text'}</span>
                <span className="faint">
                  {q.kind === 'approval' ? 'Approval · ' : ''}
                  {q.name ?? q.step} · {short(q.session ?? '')}
                  {labelWords(q)}
                </span>
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

/** labelWords says whose a question is, as the session's labels tell it. */
function labelWords(q: Question): string {
  const words = Object.entries(q.labels ?? {}).map(([k, v]) => `${k}=${v}`)
  return words.length ? ` · ${words.join(', ')}` : ''
}

function Detail({ question: q, title, onBack, onAnswered }: { question: Question; title?: string; onBack: () => void; onAnswered: (done: boolean) => void }) {
  const session = useQuery(sessionQuery(q.session!))
  const [all, setAll] = useState(false)
  const messages = session.data?.messages ?? []
  const before = messages.filter((m, i) => !(i === messages.length - 1 && m.role === 'assistant' && m.step === q.step))
  const shown = all ? before : before.slice(-4)
  return (
    <article className="detail">
      <header>
        <Button quiet className="back" aria-label="Back to the list" icon={<ArrowLeft size={18} />} onClick={onBack} />
        <div>
          <h2>{title ?? q.workflow ?? session.data?.workflow ?? q.step}</h2>
          <p className="faint">
            {q.name ?? q.step}
            {labelWords(q)} · waits since {clock(q.since)} ({ago(q.since)}){q.due ? ` · due ${clock(q.due)}` : ''}
          </p>
        </div>
        <Link className="button quiet small" to="/sessions/$session" params={{ session: q.session! }}>
          <ExternalLink size={14} aria-hidden /> Session
        </Link>
      </header>
      {shown.length > 0 && (
        <div className="detail-chat">
          {before.length > shown.length && (
            <Button quiet className="small" onClick={() => setAll(true)}>
              Show {before.length - shown.length} earlier
            </Button>
          )}
          <Lines messages={shown} />
        </div>
      )}
      <AnswerForm session={q.session!} question={q} focus onAnswered={(s) => onAnswered(s !== undefined)} />
    </article>
  )
}
