import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../api/client'
import { evalQuery, newestQuery, ok } from '../api/queries'
import type { GraphModel, PathView } from '../graph/model'
import { ago, count, short } from '../ui/format'
import { ErrorState, Loading, lookOf } from '../ui/parts'
import { Clauses } from './Why'
import { VERDICTS, type Verdict, verdictOf } from './verdict'

/** Over so many sessions of the past the share is computed. */
const SHARES = [100, 500]

/** The address's word for: on no session. */
const NONE = 'none'

/** sessionOf is the session to judge on: the one the address names, the newest without a name. */
function useSession(workflow: string, on: string | undefined) {
  const sessions = useQuery(newestQuery(workflow)).data
  return { sessions, session: on === NONE ? undefined : (on ?? sessions?.[0]?.id) }
}

/** useVerdicts judges the paths that leave the same step as a chosen one, for the canvas. */
export function useVerdicts(workflow: string, model: GraphModel, path: PathView | undefined, on: string | undefined): Record<string, Verdict> | undefined {
  const { session } = useSession(workflow, on)
  const siblings = useMemo(() => (path && path.kind === 'NEXT' ? model.paths.filter((p) => p.source === path.source && p.kind === 'NEXT') : []), [model, path])
  const judged = useQueries({
    queries: siblings.map((p) => ({ ...evalQuery(session, p.path.condition ?? [], p.path.condition === undefined ? undefined : p.path.operator), enabled: session !== undefined })),
    combine: (all) => all.map((q, i) => (q.data ? `${siblings[i].id} ${verdictOf(q.data, siblings[i].path.operator)}` : '')).join('\n'),
  })
  return useMemo(() => {
    if (session === undefined || judged.trim() === '') return undefined
    return Object.fromEntries(judged.split('\n').filter(Boolean).map((l) => [l.slice(0, l.lastIndexOf(' ')), l.slice(l.lastIndexOf(' ') + 1) as Verdict]))
  }, [session, judged])
}

/** Truth judges a path's condition on a session of the past: what each clause came to, and how often it is true. */
export function Truth({ workflow, path, on, onOn }: { workflow: string; path: PathView; on?: string; onOn: (session: string | undefined) => void }) {
  const { condition, operator } = path.path
  const { sessions, session } = useSession(workflow, on)
  const judged = useQuery({ ...evalQuery(session, condition, operator), enabled: session !== undefined })
  const [limit, setLimit] = useState(SHARES[0])
  const often = useQuery({
    queryKey: ['whatif', workflow, path.id, condition, operator, limit],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => ok(await api.POST('/api/v1/workflows/{workflow}/paths/{path}/whatif', { params: { path: { workflow, path: path.id } }, body: { condition, operator, limit }, signal })),
    retry: false,
  }).data
  if (!sessions) return null
  if (sessions.length === 0 && !on) return <p className="none">No session yet to judge it on.</p>
  const verdict = judged.data && verdictOf(judged.data, operator)
  return (
    <section className="truth" aria-label="Judged on a session">
      <h3>Judged on a session</h3>
      <select aria-label="Session to judge it on" value={on ?? ''} onChange={(e) => onOn(e.target.value || undefined)}>
        <option value="">{sessions[0] ? `Newest: ${short(sessions[0].id)}, ${lookOf(sessions[0].status).text.toLowerCase()}, ${ago(sessions[0].created_at)}` : 'Newest'}</option>
        <option value={NONE}>None</option>
        {on && on !== NONE && !sessions.some((s) => s.id === on) && <option value={on}>{short(on)}</option>}
        {sessions.map((s) => (
          <option key={s.id} value={s.id}>
            {short(s.id)}, {lookOf(s.status).text.toLowerCase()}, {ago(s.created_at)}
          </option>
        ))}
      </select>
      {session !== undefined && judged.isPending && <Loading what="the judgement" lines={2} />}
      {session !== undefined && judged.isError && <ErrorState error={judged.error} again={() => void judged.refetch()} />}
      {session !== undefined && judged.data && verdict && (
        <>
          <p role="status">
            With the values it has now, the condition {verdict === 'unresolved' ? 'lacks a value, so the path stays' : 'is'} <b>{verdict === 'unresolved' ? 'closed' : VERDICTS[verdict]}</b>.
          </p>
          {judged.data.error && <p className="wrong">{judged.data.error}</p>}
          <Clauses list={judged.data.clauses} />
        </>
      )}
      {often && often.scanned > 0 && (
        <p className="faint">
          True in {count(often.open_then)} of the last {count(often.scanned)} sessions that came by. At most{' '}
          <select aria-label="Sessions that the share is computed over" value={limit} onChange={(e) => setLimit(Number(e.target.value))}>
            {SHARES.map((n) => (
              <option key={n}>{n}</option>
            ))}
          </select>{' '}
          are judged.
        </p>
      )}
    </section>
  )
}
