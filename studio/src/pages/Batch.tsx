import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { Download } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { type BatchAction, type Forecast, resultsOf } from '../api/actions'
import { api } from '../api/client'
import { batchQuery, ok } from '../api/queries'
import type { BatchItem } from '../api/schema'
import { clock, plural, short } from '../ui/format'
import { Button, Dialog, ErrorState, Loading, Status, Tabs, messageOf } from '../ui/parts'
import { say } from '../ui/toast'
import { Would } from './ActionDialog'
import { BatchDialog } from './BatchDialog'
import { Progress } from './Batches'
import { ACTIONS } from './actions'

type Which = 'all' | 'failed' | 'done' | 'open'

export function BatchPage() {
  const { batch: id } = useParams({ from: '/batches/$batch' })
  const go = useNavigate()
  const client = useQueryClient()
  const found = useQuery(batchQuery(id))
  const b = found.data
  const results = useQuery({
    queryKey: ['results', id, b?.done, b?.failed, b?.status],
    enabled: b !== undefined,
    queryFn: () => resultsOf(id),
    placeholderData: (old: BatchItem[] | undefined) => old,
    staleTime: 500,
  })
  const [which, setWhich] = useState<Which>('all')
  const [next, setNext] = useState(false)
  const items = useMemo(() => (results.data ?? []).filter((r) => which === 'all' || r.outcome === which), [results.data, which])
  if (found.isPending) return <Loading what="the batch" />
  if (!b) return <ErrorState error={found.error} again={() => void found.refetch()} />
  const text = ACTIONS[b.action as BatchAction]?.text ?? b.action
  const steer = async (what: 'stop' | 'continue') => {
    try {
      const params = { path: { batch: id } }
      ok(what === 'stop' ? await api.POST('/api/v1/batches/{batch}/stop', { params, body: {} }) : await api.POST('/api/v1/batches/{batch}/continue', { params }))
      void client.invalidateQueries({ queryKey: ['batch', id] })
    } catch (error) {
      say(messageOf(error), true)
    }
  }
  const remove = async () => {
    await api.DELETE('/api/v1/batches/{batch}', { params: { path: { batch: id } } }).catch((error: unknown) => say(messageOf(error), true))
    void go({ to: '/batches' })
  }
  const counts = (w: Which) => (results.data ?? []).filter((r) => w === 'all' || r.outcome === w).length
  const chosen = which === 'all' ? (results.data ?? []) : items
  return (
    <div className="page wide">
      <header className="page-head">
        <div>
          <Link to="/batches" className="faint">
            Batches
          </Link>
          <h1>
            {text} {b.dry_run && <span className="chip">dry run: nothing was done</span>}
          </h1>
          <p className="faint">
            Started {clock(b.created_at)} · <code>{short(b.id)}</code>
          </p>
        </div>
        <div className="row">
          {b.status === 'running' && <Button needs="operate" onClick={() => void steer('stop')}>Stop</Button>}
          {b.status === 'stopped' && <Button needs="operate" onClick={() => void steer('continue')}>Continue</Button>}
          {b.status !== 'running' && (
            <>
              <Button needs="operate" primary disabled={chosen.length === 0} onClick={() => setNext(true)}>
                {b.dry_run ? 'Do it now…' : `Next batch from these ${chosen.length}…`}
              </Button>
              <Button quiet needs="operate" onClick={() => void remove()}>
                Remove
              </Button>
            </>
          )}
        </div>
      </header>
      <div className="batch-head">
        <Status status={b.status} />
        <Progress batch={b} />
      </div>
      {b.message && <p className="note">{b.message}</p>}
      <Tabs
        label="Results"
        value={which}
        onChange={setWhich}
        options={[
          ['all', `All ${counts('all')}`],
          ['failed', `Failed ${counts('failed')}`],
          ['done', `Done ${counts('done')}`],
          ['open', `Open ${counts('open')}`],
        ]}
      />
      {items.length > 0 && (
        <div className="row end">
          <a className="button quiet small" download={`${id}.ndjson`} href={download(items)}>
            <Download size={14} aria-hidden /> Results as NDJSON
          </a>
        </div>
      )}
      <Results items={items} dry={b.dry_run ?? false} />
      {next && (
        <BatchDialog
          first={b.action as BatchAction}
          chosen={{ items: chosen.map((r) => ({ session: r.session, ...(r.step ? { step: r.step } : {}), ...(r.response !== undefined ? { response: r.response } : {}) })) }}
          count={chosen.length}
          onClose={() => setNext(false)}
        />
      )}
    </div>
  )
}

/** download is a link to lines that the command line takes as the next batch's file. */
function download(items: BatchItem[]): string {
  return 'data:application/x-ndjson;charset=utf-8,' + encodeURIComponent(items.map((i) => JSON.stringify(i) + '\n').join(''))
}

function Results({ items, dry }: { items: BatchItem[]; dry: boolean }) {
  const box = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<BatchItem>()
  const rows = useVirtualizer({ count: items.length, getScrollElement: () => box.current, estimateSize: () => 40, overscan: 12 })
  if (items.length === 0) return <p className="none">None.</p>
  return (
    <div ref={box} className="table results" role="table" aria-label="Results" tabIndex={0}>
      <div role="rowgroup" style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map((v) => {
          const r = items[v.index]
          const would = r.would as Forecast | undefined
          return (
            <div key={v.key} role="row" className="tr" style={{ transform: `translateY(${v.start}px)`, position: 'absolute', left: 0, right: 0 }}>
              <div role="cell">
                <Link to="/sessions/$session" params={{ session: r.session }}>
                  <code>{short(r.session)}</code>
                </Link>
              </div>
              <div role="cell">{r.step ?? ''}</div>
              <div role="cell">
                <Status status={r.outcome === 'done' ? 'complete' : r.outcome === 'failed' ? 'failed' : 'pending'} />
              </div>
              <div role="cell" className={r.error ? 'bad-ink' : 'faint'} title={r.error}>
                {r.error ?? (would ? `would be ${would.status.replace('_', ' ')}, ${plural(would.steps.length, 'step')}` : '')}
              </div>
              <div role="cell">
                {dry && would && (
                  <Button quiet className="small" onClick={() => setOpen(r)}>
                    Details
                  </Button>
                )}
              </div>
            </div>
          )
        })}
      </div>
      {open && (
        <Dialog title={`What ${short(open.session)} would do`} onClose={() => setOpen(undefined)}>
          <Would would={open.would as Forecast} error={open.error} />
        </Dialog>
      )}
    </div>
  )
}
