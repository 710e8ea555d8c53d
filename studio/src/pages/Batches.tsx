import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ListChecks } from 'lucide-react'
import { api } from '../api/client'
import { ok } from '../api/queries'
import type { Batch } from '../api/schema'
import { ago, clock, count } from '../ui/format'
import { Empty, ErrorState, Loading, Status } from '../ui/parts'
import { ACTIONS } from './actions'

export function Batches() {
  const list = useQuery({
    queryKey: ['batches'],
    queryFn: async ({ signal }) => ok(await api.GET('/api/v1/batches', { params: { query: { limit: 100 } }, signal })).items,
    refetchInterval: 2000,
  })
  return (
    <div className="page">
      <header className="page-head">
        <h1>Batches</h1>
      </header>
      {list.isPending && <Loading what="batches" />}
      {list.isError && !list.data && <ErrorState error={list.error} again={() => void list.refetch()} />}
      {list.data?.length === 0 && (
        <Empty title="No batches yet" icon={<ListChecks size={28} />}>
          <p>Choose sessions in the list and do something with all of them at once.</p>
          <Link className="button primary" to="/sessions">
            Go to sessions
          </Link>
        </Empty>
      )}
      {list.data && list.data.length > 0 && (
        <ul className="batch-list">
          {list.data.map((b) => (
            <li key={b.id}>
              <Link to="/batches/$batch" params={{ batch: b.id }}>
                <b>
                  {ACTIONS[b.action as keyof typeof ACTIONS]?.text ?? b.action} {b.dry_run && <span className="chip">dry run</span>}
                </b>
                <Progress batch={b} />
                <Status status={b.status} />
                <span className="faint" title={clock(b.created_at)}>
                  {ago(b.created_at)}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

export function Progress({ batch: b }: { batch: Batch }) {
  const share = (n: number) => `${b.total ? (n / b.total) * 100 : 0}%`
  return (
    <span className="progress-line">
      <span className="progress" role="progressbar" aria-label="Progress" aria-valuemin={0} aria-valuemax={b.total} aria-valuenow={b.done + b.failed}>
        <i className="done" style={{ width: share(b.done) }} />
        <i className="bad" style={{ width: share(b.failed) }} />
      </span>
      <span className="tabular">
        {count(b.done)} of {count(b.total)}
        {b.failed > 0 && <b className="bad-ink"> · {count(b.failed)} failed</b>}
      </span>
    </span>
  )
}
