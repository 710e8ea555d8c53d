import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Braces, Inbox, ListChecks, Play, Rows3, Workflow } from 'lucide-react'
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { api, base } from '../api/client'
import { ok, workflowQuery, workflowsQuery } from '../api/queries'
import { short } from '../ui/format'
import { Status } from '../ui/parts'

interface Entry {
  key: string
  text: string
  note?: ReactNode
  icon: ReactNode
  run: () => void
}

/** Palette goes to any page, workflow, step or session, and starts workflows. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const go = useNavigate()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const ref = useRef<HTMLDialogElement>(null)
  const wanted = useDeferredValue(text.trim())
  const workflows = useQuery(workflowsQuery).data
  const here = /\/workflows\/([^/]+)/.exec(location.pathname)?.[1]
  const current = useQuery({ ...workflowQuery(here ? decodeURIComponent(here) : ''), enabled: here !== undefined }).data
  const found = useQuery({
    queryKey: ['palette', wanted],
    enabled: wanted.length > 2,
    queryFn: async ({ signal }) => {
      const exact = await api.GET('/api/v1/sessions/{session}', { params: { path: { session: wanted } }, signal }).then(ok, () => undefined)
      if (exact) return [exact]
      return ok(await api.GET('/api/v1/sessions', { params: { query: { q: wanted, limit: 8 } }, signal })).items
    },
  }).data
  useEffect(() => {
    if (ref.current && !ref.current.open) ref.current.showModal()
  }, [])

  const entries = useMemo(() => {
    const list: Entry[] = [
      { key: 'p-w', text: 'Workflows', icon: <Workflow size={16} />, run: () => void go({ to: '/workflows', search: { q: undefined } }) },
      { key: 'p-i', text: 'Inbox', icon: <Inbox size={16} />, run: () => void go({ to: '/inbox' }) },
      { key: 'p-s', text: 'Sessions', icon: <Rows3 size={16} />, run: () => void go({ to: '/sessions' }) },
      { key: 'p-e', text: 'Sessions that failed', icon: <Rows3 size={16} />, run: () => void go({ to: '/sessions', search: { status: ['error'] } }) },
      { key: 'p-b', text: 'Batches', icon: <ListChecks size={16} />, run: () => void go({ to: '/batches' }) },
      { key: 'p-a', text: 'HTTP API', note: 'reference', icon: <Braces size={16} />, run: () => location.assign(base + '/docs') },
    ]
    for (const s of current?.steps ?? []) {
      list.push({ key: 'step ' + s.id, text: s.name || s.id, note: `step of ${current?.id}`, icon: <Workflow size={16} />, run: () => void go({ to: '/workflows/$workflow', params: { workflow: current?.id ?? '' }, search: { step: s.id } }) })
    }
    for (const w of workflows ?? []) {
      list.push({ key: 'w ' + w.id, text: w.name || w.id, note: 'workflow', icon: <Workflow size={16} />, run: () => void go({ to: '/workflows/$workflow', params: { workflow: w.id } }) })
      list.push({ key: 'r ' + w.id, text: `Start ${w.name || w.id}`, icon: <Play size={16} />, run: () => void go({ to: '/workflows/$workflow', params: { workflow: w.id }, search: { start: true } }) })
    }
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    const kept = list.filter((e) => words.every((w) => e.text.toLowerCase().includes(w) || e.key.toLowerCase().includes(w)))
    for (const s of found ?? []) {
      kept.push({ key: 's ' + s.id, text: short(s.id), note: <><span>{s.workflow}</span> <Status status={s.status} short /></>, icon: <Rows3 size={16} />, run: () => void go({ to: '/sessions/$session', params: { session: s.id } }) })
    }
    return kept.slice(0, 60)
  }, [workflows, current, found, text, go])

  const pick = (e: Entry | undefined) => {
    if (!e) return
    onClose()
    e.run()
  }
  return (
    <dialog ref={ref} className="palette" aria-label="Search" onCancel={(e) => (e.preventDefault(), onClose())} onClick={(e) => e.target === ref.current && onClose()}>
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries[at] ? `palette-${at}` : undefined}
        aria-label="Search workflows, steps, sessions"
        placeholder="Go to a workflow, step or session; or start one"
        value={text}
        onChange={(e) => {
          setText(e.target.value)
          setAt(0)
        }}
        onKeyDown={(e) => {
          if (e.key === 'ArrowDown') setAt(Math.min(at + 1, entries.length - 1))
          else if (e.key === 'ArrowUp') setAt(Math.max(at - 1, 0))
          else if (e.key === 'Enter') pick(entries[at])
          else return
          e.preventDefault()
        }}
      />
      <ul id="palette-list" role="listbox" aria-label="Results">
        {entries.map((e, i) => (
          <li key={e.key} id={`palette-${i}`} role="option" aria-selected={i === at} onMouseMove={() => setAt(i)} onClick={() => pick(e)} ref={(n) => { if (i === at) n?.scrollIntoView({ block: 'nearest' }) }}>
            {e.icon}
            <span>{e.text}</span>
            {e.note && <span className="faint">{e.note}</span>}
          </li>
        ))}
        {entries.length === 0 && <li className="faint" role="option" aria-selected="false">No match.</li>}
      </ul>
    </dialog>
  )
}
