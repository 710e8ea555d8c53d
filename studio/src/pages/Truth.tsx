import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client'
import { newestQuery, ok } from '../api/queries'
import type { PathView } from '../graph/model'
import { ago, count, short } from '../ui/format'
import { ErrorState, Loading, lookOf } from '../ui/parts'
import { Clauses } from './Why'

/** Truth judges a path's condition on a session of the past: what each clause came to, and how often it is true. */
export function Truth({ workflow, path }: { workflow: string; path: PathView }) {
  const { condition, operator } = path.path
  const [chosen, setChosen] = useState<string>()
  const sessions = useQuery(newestQuery(workflow)).data
  const session = chosen ?? sessions?.[0]?.id
  const judged = useQuery({
    queryKey: ['eval', session, condition, operator],
    enabled: session !== undefined,
    queryFn: async ({ signal }) => ok(await api.POST('/api/v1/eval/condition', { body: { condition, operator, session }, signal })),
  })
  const often = useQuery({
    queryKey: ['whatif', workflow, path.id, condition, operator],
    queryFn: async ({ signal }) => ok(await api.POST('/api/v1/workflows/{workflow}/paths/{path}/whatif', { params: { path: { workflow, path: path.id } }, body: { condition, operator, limit: 100 }, signal })),
    retry: false,
  }).data
  if (!sessions) return null
  if (sessions.length === 0) return <p className="none">No session yet to judge it on.</p>
  return (
    <section className="truth" aria-label="Judged on a session">
      <h3>Judged on a session</h3>
      <select aria-label="Session to judge it on" value={session} onChange={(e) => setChosen(e.target.value)}>
        {sessions.map((s, i) => (
          <option key={s.id} value={s.id}>
            {i === 0 ? 'Newest: ' : ''}
            {short(s.id)}, {lookOf(s.status).text.toLowerCase()}, {ago(s.created_at)}
          </option>
        ))}
      </select>
      {judged.isPending && <Loading what="the judgement" lines={2} />}
      {judged.isError && <ErrorState error={judged.error} again={() => void judged.refetch()} />}
      {judged.data && (
        <>
          <p role="status">
            With the values it has now, the condition is <b>{judged.data.result ? 'true' : 'false'}</b>.
          </p>
          {judged.data.error && <p className="wrong">{judged.data.error}</p>}
          <Clauses list={judged.data.clauses} />
        </>
      )}
      {often && often.scanned > 0 && (
        <p className="faint">
          True in {count(often.open_then)} of the last {count(often.scanned)} sessions that came by.
        </p>
      )}
    </section>
  )
}
