import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { Bookmark, Database, Rows3 } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { api } from '../api/client'
import { countsQuery, ok, workflowsQuery } from '../api/queries'
import type { BatchFilter, Session } from '../api/schema'
import { type SessionFilter, cypherOfSessions } from '../graph/cypher'
import { cut } from '../graph/words'
import { ago, clock, count, plural, short } from '../ui/format'
import { CypherDialog } from '../ui/cypher'
import { Button, Empty, ErrorState, Loading, Status, StatusIcon, lookOf } from '../ui/parts'
import { BatchDialog } from './BatchDialog'
import { type View, addView, removeView, useViews } from './views'

const STATUSES = ['active', 'awaiting_input', 'pending', 'paused', 'error', 'complete', 'cancelled'] as const

/** How many sessions a search goes on for by itself. */
const SCREENFUL = 50

const clean = (f: SessionFilter): SessionFilter => Object.fromEntries(Object.entries(f).filter(([, v]) => v !== undefined && v !== '' && !(Array.isArray(v) && v.length === 0)))

/** Sessions is the list of sessions; its address is its filter. */
export function Sessions() {
  const filter = useSearch({ from: '/sessions' })
  const go = useNavigate({ from: '/sessions' })
  const set = (more: SessionFilter) => void go({ search: (s) => clean({ ...s, ...more }), replace: true })
  const list = useInfiniteQuery({
    queryKey: ['sessions', filter],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) => ok(await api.GET('/api/v1/sessions', { params: { query: { ...filter, limit: 100, cursor: pageParam || undefined } }, signal })),
    getNextPageParam: (last) => last.next,
    refetchInterval: (q) => ((q.state.data?.pages.length ?? 0) > 3 ? false : 5000),
  })
  const { status: _, ...rest } = filter
  const counts = useQuery(countsQuery('status', rest)).data
  const items = useMemo(() => (list.data?.pages ?? []).flatMap((p) => p.items), [list.data])
  const looked = (list.data?.pages ?? []).reduce((n, p) => n + (p.looked ?? 0), 0)
  const fetchMore = () => {
    if (list.hasNextPage && !list.isFetching) void list.fetchNextPage()
  }
  // An answer of a search may have few sessions, or none, although there are more: the rest is asked for until there is a screenful.
  const searching = list.hasNextPage && items.length < SCREENFUL
  useEffect(() => {
    if (searching) fetchMore()
  })
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [all, setAll] = useState(false)
  const [batch, setBatch] = useState(false)
  const [cypher, setCypher] = useState(false)
  const key = JSON.stringify(filter)
  useEffect(() => {
    setPicked(new Set())
    setAll(false)
  }, [key])
  const total = filter.status?.length ? filter.status.reduce((n, s) => n + (counts?.counts[s] ?? 0), 0) : (counts?.total ?? 0)
  const filtered = Object.keys(clean(filter)).length > 0
  const chosen = all ? total : picked.size
  return (
    <div className="page wide sessions">
      <header className="page-head">
        <h1>Sessions</h1>
        <div className="row">
          <Views filter={filter} onOpen={(f) => void go({ search: f })} />
          <Button quiet icon={<Database size={15} aria-hidden />} onClick={() => setCypher(true)}>
            Show Cypher
          </Button>
        </div>
      </header>
      <Filters filter={filter} set={set} />
      <div className="status-chips" role="group" aria-label="Status">
        {STATUSES.map((s) => {
          const on = filter.status?.includes(s) ?? false
          return (
            <button
              key={s}
              type="button"
              aria-pressed={on}
              className={`chip tone-${lookOf(s).tone}${on ? ' on' : ''}`}
              onClick={() => set({ status: on ? filter.status?.filter((x) => x !== s) : [...(filter.status ?? []), s] })}
            >
              <StatusIcon status={s} size={13} /> {s === 'awaiting_input' ? 'Waiting' : lookOf(s).text} <b>
                {count(counts?.counts[s] ?? 0)}
                {counts?.next && '+'}
              </b>
            </button>
          )
        })}
        {filtered && (
          <Button quiet className="small" onClick={() => void go({ search: {} })}>
            Clear the filter
          </Button>
        )}
      </div>
      {chosen > 0 && (
        <div className="bulk" role="region" aria-label="Chosen sessions">
          <b>{all ? `All ${plural(total, 'session')} that match` : `${plural(picked.size, 'session')} chosen`}</b>
          {!all && total > picked.size && picked.size >= Math.min(items.length, 1) && (
            <button type="button" className="link" onClick={() => setAll(true)}>
              Choose all {count(total)} that match
            </button>
          )}
          <Button primary needs="operate" className="small" onClick={() => setBatch(true)}>
            Do something with {all || picked.size > 1 ? 'them' : 'it'}…
          </Button>
          <Button quiet className="small" onClick={() => (setPicked(new Set()), setAll(false))}>
            Choose none
          </Button>
        </div>
      )}
      {list.isPending && <Loading what="sessions" lines={10} />}
      {list.isError && !list.data && <ErrorState error={list.error} again={() => void list.refetch()} />}
      {searching && looked > 0 && <Searching looked={looked} workflow={filter.workflow} status={filter.status} />}
      {list.data && items.length === 0 && !list.hasNextPage && (
        <Empty title={filtered ? 'No session fits this filter' : 'No sessions yet'} icon={<Rows3 size={28} />}>
          {filtered ? (
            <Button onClick={() => void go({ search: {} })}>Clear the filter</Button>
          ) : (
            <>
              <p>Open a workflow and start it.</p>
              <Link className="button primary" to="/workflows" search={{ q: undefined }}>
                Go to workflows
              </Link>
            </>
          )}
        </Empty>
      )}
      {items.length > 0 && (
        <Table
          items={items}
          picked={all ? undefined : picked}
          onPick={(ids, on) => {
            setAll(false)
            setPicked((p) => {
              const next = new Set(p)
              for (const id of ids) {
                if (on) next.add(id)
                else next.delete(id)
              }
              return next
            })
          }}
          more={list.hasNextPage}
          onMore={fetchMore}
        />
      )}
      {batch && <BatchDialog chosen={all ? { filter: batchFilter(filter) } : { items: [...picked].map((session) => ({ session })) }} count={chosen} workflow={filter.workflow} step={filter.step} onClose={() => setBatch(false)} />}
      {cypher && <CypherDialog title="Cypher of these sessions" statements={cypherOfSessions(filter)} onClose={() => setCypher(false)} />}
    </div>
  )
}

/** Searching says how far a search has come. */
function Searching({ looked, workflow, status }: { looked: number; workflow?: string; status?: string[] }) {
  const among = useQuery(countsQuery('status', clean({ workflow }))).data
  const of = among && (status?.length ? status.reduce((n, s) => n + (among.counts[s] ?? 0), 0) : among.total)
  return (
    <p className="faint" role="status">
      Searching… looked at {count(looked)}
      {of && of >= looked ? ` of ${count(of)} sessions` : ' sessions'}
    </p>
  )
}

/** batchFilter is the list's filter as batches take it. */
export function batchFilter(f: SessionFilter): BatchFilter {
  const { label, ...rest } = f
  const labels = label?.length ? Object.fromEntries(label.map((l) => [l.slice(0, l.indexOf('=')), l.slice(l.indexOf('=') + 1)])) : undefined
  return { ...clean(rest), ...(labels ? { labels } : {}) } as BatchFilter
}

function Filters({ filter, set }: { filter: SessionFilter; set: (f: SessionFilter) => void }) {
  const workflows = useQuery(workflowsQuery).data
  return (
    <form className="filters" onSubmit={(e) => e.preventDefault()} aria-label="Filter">
      <Typed label="Text in the state" value={filter.q} placeholder="Text in the state" onChange={(q) => set({ q })} />
      <select aria-label="Workflow" value={filter.workflow ?? ''} onChange={(e) => set({ workflow: e.target.value || undefined })}>
        <option value="">All workflows</option>
        {filter.workflow && !workflows?.some((w) => w.id === filter.workflow) && <option>{filter.workflow}</option>}
        {workflows?.map((w) => (
          <option key={w.id} value={w.id}>
            {w.name || w.id}
          </option>
        ))}
      </select>
      <Typed label="Waits at step" value={filter.step} placeholder="Waits at step" onChange={(step) => set({ step })} />
      <Typed label="Label" value={filter.label?.join(',')} placeholder="team=blue" onChange={(l) => set({ label: l ? l.split(',').filter((x) => x.includes('=')) : undefined })} />
      <label className="inline">
        <span className="faint">from</span>
        <input type="datetime-local" aria-label="Created from" value={local(filter.created_after)} onChange={(e) => set({ created_after: utc(e.target.value) })} />
      </label>
      <label className="inline">
        <span className="faint">to</span>
        <input type="datetime-local" aria-label="Created to" value={local(filter.created_before)} onChange={(e) => set({ created_before: utc(e.target.value) })} />
      </label>
    </form>
  )
}

/** Typed waits with the filter until typing has paused. */
function Typed({ label, value, placeholder, onChange }: { label: string; value?: string; placeholder: string; onChange: (v: string | undefined) => void }) {
  const [text, setText] = useState(value ?? '')
  const sent = useRef(value ?? '')
  useEffect(() => {
    if ((value ?? '') !== sent.current) {
      sent.current = value ?? ''
      setText(value ?? '')
    }
  }, [value])
  useEffect(() => {
    if (text === sent.current) return
    const timer = setTimeout(() => {
      sent.current = text
      onChange(text || undefined)
    }, 300)
    return () => clearTimeout(timer)
  })
  return <input type="search" aria-label={label} placeholder={placeholder} value={text} onChange={(e) => setText(e.target.value)} />
}

function local(at?: string): string {
  if (!at) return ''
  const d = new Date(at)
  return Number.isNaN(d.getTime()) ? '' : new Date(d.getTime() - d.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const utc = (text: string) => (text ? new Date(text).toISOString() : undefined)

function Views({ filter, onOpen }: { filter: SessionFilter; onOpen: (f: SessionFilter) => void }) {
  const views = useViews()
  const [naming, setNaming] = useState(false)
  const [name, setName] = useState('')
  const save = (e: React.FormEvent) => {
    e.preventDefault()
    if (name.trim()) addView({ name: name.trim(), filter: clean(filter) })
    setName('')
    setNaming(false)
  }
  return (
    <div className="row">
      {views.map((v: View) => (
        <span key={v.name} className="view">
          <button type="button" className="link" onClick={() => onOpen(v.filter)}>
            {v.name}
          </button>
          <button type="button" className="link faint" aria-label={`Forget the view ${v.name}`} onClick={() => removeView(v.name)}>
            ✕
          </button>
        </span>
      ))}
      {naming ? (
        <form className="row" onSubmit={save}>
          <input autoFocus aria-label="Name of the view" placeholder="Name of the view" value={name} onChange={(e) => setName(e.target.value)} onKeyDown={(e) => e.key === 'Escape' && setNaming(false)} />
          <Button type="submit">Save</Button>
        </form>
      ) : (
        <Button quiet icon={<Bookmark size={15} aria-hidden />} onClick={() => setNaming(true)}>
          Save this view
        </Button>
      )}
    </div>
  )
}

function Table({ items, picked, onPick, more, onMore }: { items: Session[]; picked?: ReadonlySet<string>; onPick: (ids: string[], on: boolean) => void; more: boolean; onMore: () => void }) {
  const box = useRef<HTMLDivElement>(null)
  const anchor = useRef<number>(undefined)
  const rows = useVirtualizer({ count: items.length, getScrollElement: () => box.current, estimateSize: () => 44, overscan: 10 })
  const shown = rows.getVirtualItems()
  const last = shown[shown.length - 1]?.index ?? 0
  useEffect(() => {
    if (more && last >= items.length - 20) onMore()
  }, [more, last, items.length, onMore])
  const isOn = (id: string) => picked === undefined || picked.has(id)
  const every = items.every((s) => isOn(s.id))
  const pick = (i: number, on: boolean, shift: boolean) => {
    const from = shift && anchor.current !== undefined ? anchor.current : i
    anchor.current = i
    onPick(items.slice(Math.min(from, i), Math.max(from, i) + 1).map((s) => s.id), on)
  }
  return (
    <div ref={box} className="table" role="table" aria-label="Sessions" aria-rowcount={items.length} data-region>
      <div role="rowgroup" className="table-head">
        <div role="row" className="tr">
          <div role="columnheader">
            <input type="checkbox" aria-label="Choose all that are loaded" disabled={items.length === 0} checked={every} onChange={(e) => onPick(items.map((s) => s.id), e.target.checked)} />
          </div>
          <div role="columnheader">Session</div>
          <div role="columnheader">Workflow</div>
          <div role="columnheader">Status</div>
          <div role="columnheader" className="wide-only">
            Where it stands
          </div>
          <div role="columnheader">Changed</div>
        </div>
      </div>
      <div role="rowgroup" style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {shown.map((v) => {
          const s = items[v.index]
          return (
            <div key={s.id} role="row" aria-rowindex={v.index + 1} className="tr" style={{ transform: `translateY(${v.start}px)`, position: 'absolute', left: 0, right: 0 }}>
              <div role="cell">
                <input type="checkbox" aria-label={`Choose ${s.id}`} checked={isOn(s.id)} onChange={() => undefined} onClick={(e) => pick(v.index, !isOn(s.id), e.shiftKey)} />
              </div>
              <div role="cell">
                <Link to="/sessions/$session" params={{ session: s.id }} title={s.id}>
                  <code>{short(s.id)}</code>
                </Link>
              </div>
              <div role="cell">{s.workflow}</div>
              <div role="cell">
                <Status status={s.status} short />
              </div>
              <div role="cell" className="wide-only faint" title={standing(s)}>
                {cut(standing(s), 90)}
              </div>
              <div role="cell" className="faint" title={clock(s.updated_at)}>
                {ago(s.updated_at)}
              </div>
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** standing says in a few words where a session is. */
function standing(s: Session): string {
  if (s.awaiting.length) return `${s.awaiting[0].step}: ${s.awaiting[0].prompt}`
  if (s.error) return `${s.error.step ? s.error.step + ': ' : ''}${s.error.message}`
  if (s.problems?.length) return `${s.problems[0].step}: ${s.problems[0].message}`
  return s.messages.at(-1)?.content ?? ''
}
