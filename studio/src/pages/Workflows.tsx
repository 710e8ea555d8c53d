import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Database, Play, Upload, Workflow as Icon } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { countsQuery, workflowQuery, workflowsQuery } from '../api/queries'
import type { WorkflowInfo } from '../api/schema'
import { useRefused } from '../api/scopes'
import { cypherOfWorkflows } from '../graph/cypher'
import { CypherDialog } from '../ui/cypher'
import { count } from '../ui/format'
import { Button, Empty, ErrorState, Loading, StatusIcon, lookOf } from '../ui/parts'
import { type First, ImportDialog } from './ImportDialog'
import { StartDialog } from './StartDialog'

const SHOWN = ['awaiting_input', 'active', 'pending', 'error', 'paused'] as const

/** byWorkflow turns counts by "workflow,status" into counts by status of each workflow. */
export function byWorkflow(counts: Record<string, number> = {}): Record<string, Record<string, number>> {
  const out: Record<string, Record<string, number>> = {}
  for (const [key, n] of Object.entries(counts)) {
    const at = key.lastIndexOf(',')
    const workflow = key.slice(0, at)
    out[workflow] = { ...out[workflow], [key.slice(at + 1)]: n }
  }
  return out
}

export function Workflows() {
  const { q } = useSearch({ from: '/workflows' })
  const go = useNavigate({ from: '/workflows' })
  const list = useQuery(workflowsQuery)
  const counts = useQuery(countsQuery('workflow,status'))
  const [starting, setStarting] = useState<string>()
  const [cypher, setCypher] = useState(false)
  const [importing, setImporting] = useState<First>()
  const mayImport = useRefused('edit') === ''
  const drop = (e: React.DragEvent) => {
    e.preventDefault()
    const files = [...e.dataTransfer.files]
    if (files.length > 0) setImporting({ files })
  }
  useEffect(() => {
    if (!mayImport) return
    const paste = (e: ClipboardEvent) => {
      if ((e.target as HTMLElement).closest('input, textarea, select, dialog')) return
      const files = [...(e.clipboardData?.files ?? [])]
      const text = e.clipboardData?.getData('text/plain') ?? ''
      if (files.length > 0) setImporting({ files })
      else if (text.trim() !== '') setImporting({ text })
    }
    document.addEventListener('paste', paste)
    return () => document.removeEventListener('paste', paste)
  }, [mayImport])
  const by = useMemo(() => byWorkflow(counts.data?.counts), [counts.data])
  const shown = useMemo(() => {
    const words = (q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
    return (list.data ?? []).filter((w) => words.every((x) => `${w.id} ${w.name} ${w.description}`.toLowerCase().includes(x)))
  }, [list.data, q])
  return (
    <div className="page" onDragOver={(e) => e.preventDefault()} onDrop={drop}>
      <header className="page-head">
        <h1>Workflows</h1>
        <div className="row">
          <input type="search" aria-label="Find a workflow" placeholder="Find a workflow" value={q ?? ''} onChange={(e) => void go({ search: { q: e.target.value || undefined }, replace: true })} />
          <Button quiet aria-label="Show Cypher" title="Show Cypher" icon={<Database size={16} />} onClick={() => setCypher(true)} />
          <Button needs="edit" icon={<Upload size={15} aria-hidden />} onClick={() => setImporting({})}>
            Import
          </Button>
        </div>
      </header>
      {list.isPending && <Loading what="workflows" />}
      {list.isError && !list.data && <ErrorState error={list.error} again={() => void list.refetch()} />}
      {list.data?.length === 0 && (
        <Empty title="No workflows yet" icon={<Icon size={28} />}>
          <p>Drop a file on this page, paste the text of one, or load it from the command line:</p>
          <pre>stepgraph load my-workflow.cypher</pre>
        </Empty>
      )}
      {list.data && list.data.length > 0 && shown.length === 0 && (
        <Empty title="No workflow has this name">
          <Button onClick={() => void go({ search: { q: undefined } })}>Show all {count(list.data.length)}</Button>
        </Empty>
      )}
      {shown.length > 0 && (
        <ul className="workflow-list">
          {shown.map((w) => (
            <Row key={w.id} workflow={w} counts={by[w.id] ?? {}} onStart={() => setStarting(w.id)} />
          ))}
        </ul>
      )}
      {cypher && <CypherDialog title="Cypher of the workflows" statements={cypherOfWorkflows()} onClose={() => setCypher(false)} />}
      {importing && <ImportDialog first={importing} onClose={() => setImporting(undefined)} />}
      {starting && <Starting id={starting} onClose={() => setStarting(undefined)} />}
    </div>
  )
}

function Starting({ id, onClose }: { id: string; onClose: () => void }) {
  const { data } = useQuery(workflowQuery(id))
  return data ? <StartDialog workflow={data} onClose={onClose} /> : null
}

function Row({ workflow: w, counts, onStart }: { workflow: WorkflowInfo; counts: Record<string, number>; onStart: () => void }) {
  const total = Object.values(counts).reduce((a, b) => a + b, 0)
  return (
    <li className="workflow-row">
      <Link to="/workflows/$workflow" params={{ workflow: w.id }} className="workflow-main">
        <b>{w.name || w.id}</b>
        <span className="faint">
          {w.name && w.name !== w.id ? `${w.id} · ` : ''}
          {count(w.steps)} {w.steps === 1 ? 'step' : 'steps'}
        </span>
        {w.description && <span className="workflow-about">{w.description}</span>}
      </Link>
      <div className="workflow-counts">
        {SHOWN.filter((s) => counts[s]).map((s) => (
          <Link key={s} to="/sessions" search={{ workflow: w.id, status: [s] }} className={`chip tone-${lookOf(s).tone}`} title={`${lookOf(s).text}: ${counts[s]}`}>
            <StatusIcon status={s} size={13} />
            {count(counts[s])} {{ awaiting_input: 'waiting', active: 'running', pending: 'pending', error: 'failed', paused: 'paused' }[s]}
          </Link>
        ))}
        <Link to="/sessions" search={{ workflow: w.id }} className="faint">
          {total === 0 ? 'no sessions' : `${count(total)} in all`}
        </Link>
      </div>
      <Button needs="answer" icon={<Play size={14} aria-hidden />} onClick={onStart} aria-label={`Start ${w.name || w.id}`}>
        Start
      </Button>
    </li>
  )
}
