import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { AlertTriangle, Database, ListTree, Play, Share2 } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { isMissing } from '../api/client'
import { statsQuery, workflowQuery } from '../api/queries'
import { type Choice, Flow } from '../canvas/Flow'
import { Canvas, type CanvasContext } from '../canvas/context'
import { newRunStore } from '../canvas/runStore'
import { cypherOfWorkflow } from '../graph/cypher'
import { type GraphModel, modelOf } from '../graph/model'
import { useEdits } from '../graph/edits'
import { useLayout } from '../graph/useLayout'
import { count } from '../ui/format'
import { CypherDialog } from '../ui/cypher'
import { Splitter, useWidth } from '../ui/Splitter'
import { Menu } from '../ui/menu'
import { Button, Empty, ErrorState, Loading, StatusIcon, lookOf } from '../ui/parts'
import { EditedBar } from './Edited'
import { Outline } from './Outline'
import { StartDialog } from './StartDialog'
import { useVerdicts } from './Truth'
import { Inspector } from './WorkflowInspector'
import { countsOf, standingAt } from './counts'
import { copyLink, copyWorkflow, formatsOf, save } from './exports'
import { OVERLAYS, PERIODS, useOverlay } from './overlay'

export function WorkflowPage() {
  const { workflow: id } = useParams({ from: '/workflows/$workflow' })
  const found = useQuery(workflowQuery(id))
  const text = found.data ? JSON.stringify([found.data.steps, found.data.paths, found.data.problems]) : ''
  // A refetch without a change must not lay the graph out again.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const model = useMemo(() => (found.data ? modelOf({ ...found.data, id }) : undefined), [text, id])
  if (found.isPending) return <Loading what="the workflow" />
  if (!found.data || !model) return <ErrorState error={found.error} again={() => void found.refetch()} back={<Link className="button" to="/workflows" search={{ q: undefined }}>Go to workflows</Link>} />
  return <View key={id} id={id} title={found.data.name || id} about={found.data.description} model={model} gone={isMissing(found.error)} />
}

function View({ id, title, about, model, gone }: { id: string; title: string; about?: string; model: GraphModel; gone: boolean }) {
  const search = useSearch({ from: '/workflows/$workflow' })
  const go = useNavigate({ from: '/workflows/$workflow' })
  const workflow = useQuery(workflowQuery(id)).data
  const stats = useQuery(statsQuery(id)).data
  const overlay = useOverlay(id, model, search.overlay, search.since)
  const [asDrawn, setAsDrawn] = useState(false)
  const [outline, setOutline] = useState(false)
  const [cypher, setCypher] = useState(false)
  const [focus, setFocus] = useState<{ id: string }>()
  const layout = useLayout(model, asDrawn)
  const run = useMemo(newRunStore, [])
  const [inspectorWidth, setInspectorWidth] = useWidth('inspector', 340)
  const [edits, seen] = useEdits(model)

  const choice: Choice = search.step && model.byId.has(search.step) ? { kind: 'step', id: search.step } : search.path ? { kind: 'path', id: search.path } : undefined
  const choose = useCallback(
    (c: Choice) => void go({ search: (s) => ({ ...s, step: c?.kind === 'step' ? c.id : undefined, path: c?.kind === 'path' ? c.id : undefined }), replace: true }),
    [go],
  )
  const counts = useMemo(() => countsOf(stats), [stats])
  const verdicts = useVerdicts(id, model, choice?.kind === 'path' ? model.paths.find((p) => p.id === choice.id) : undefined, search.on)
  const context: CanvasContext = useMemo(
    () => ({ run, counts, verdicts, overlay: overlay.overlay, edits, onCount: (step, status) => void go({ to: '/sessions', search: standingAt(id, step, status) }) }),
    [run, counts, verdicts, overlay.overlay, edits, go, id],
  )
  const errors = model.problems.filter((p) => p.level === 'error').length
  return (
    <div className="full">
      <header className="bar">
        <div className="bar-title">
          <Link to="/workflows" search={{ q: undefined }} className="faint">
            Workflows
          </Link>
          <span className="faint" aria-hidden>
            /
          </span>
          <h1 title={about}>{title}</h1>
        </div>
        <div className="bar-counts">
          {['awaiting_input', 'active', 'pending', 'error', 'paused', 'complete']
            .filter((s) => stats?.status[s])
            .map((s) => (
              <Link key={s} to="/sessions" search={{ workflow: id, status: [s] }} className={`chip tone-${lookOf(s).tone}`}>
                <StatusIcon status={s} size={13} />
                {count(stats!.status[s])} <span className="wide-only">{lookOf(s).text.toLowerCase().replace('waiting for an answer', 'waiting')}</span>
              </Link>
            ))}
        </div>
        <div className="row">
          <label className="inline">
            <span className="sr">Overlay</span>
            <select value={search.overlay ?? ''} onChange={(e) => void go({ search: (s) => ({ ...s, overlay: (e.target.value || undefined) as typeof s.overlay }), replace: true })} aria-label="Overlay">
              <option value="">No overlay</option>
              {OVERLAYS.map(([v, t]) => (
                <option key={v} value={v}>
                  {t}
                </option>
              ))}
            </select>
          </label>
          {search.overlay && (
            <select aria-label="Time of the overlay" value={search.since ?? '24h'} onChange={(e) => void go({ search: (s) => ({ ...s, since: e.target.value }), replace: true })}>
              {PERIODS.map(([v, t]) => (
                <option key={v} value={v}>
                  {t}
                </option>
              ))}
            </select>
          )}
          <Button quiet aria-pressed={outline} aria-label="Outline" title="Outline: all steps as a list" icon={<ListTree size={16} />} onClick={() => setOutline(!outline)} />
          <Button quiet aria-label="Show Cypher" title="Show Cypher" icon={<Database size={16} />} onClick={() => setCypher(true)} />
          <Menu label="Export or share" icon={<Share2 size={16} />} entries={[{ text: 'Copy the link to this view', run: () => void copyLink() }, { text: 'Copy the workflow', run: () => void copyWorkflow(id) }, ...formatsOf(workflow).map(([format, text]) => ({ text, run: () => void save(id, format) }))]} />
          <Button primary needs="answer" icon={<Play size={14} aria-hidden />} onClick={() => void go({ search: (s) => ({ ...s, start: true }) })}>
            Start
          </Button>
        </div>
      </header>
      {model.problems.length > 0 && <Problems model={model} errors={errors} onGo={(step) => (choose({ kind: 'step', id: step }), setFocus({ id: step }))} />}
      {gone && (
        <p className="problems bad" role="alert">
          This workflow was removed. What you see was read before. <Link to="/workflows" search={{ q: undefined }}>Go to workflows</Link>
        </p>
      )}
      <EditedBar edits={edits} onGo={(c) => (choose(c), c?.kind === 'step' && setFocus({ id: c.id }))} onSeen={seen} />
      <div className="split" style={{ ['--inspector' as string]: `${inspectorWidth}px` }}>
        {outline && <Outline model={model} choice={choice} counts={counts} onChoose={(step) => (choose({ kind: 'step', id: step }), setFocus({ id: step }))} />}
        <section className="stage" aria-label="Workflow" data-region>
          {model.steps.length === 0 ? (
            <Empty title="This workflow has no steps" />
          ) : layout ? (
            <Canvas value={context}>
              <Flow model={model} layout={layout} choice={choice} onChoose={choose} asDrawn={asDrawn} onAsDrawn={setAsDrawn} focus={focus} begin={search.step ?? model.paths.find((p) => p.id === search.path)?.source} />
            </Canvas>
          ) : (
            <Loading what="the layout" />
          )}
          {overlay.note && <p className="stage-note">{overlay.note}</p>}
        </section>
        {choice && <Splitter label="Width of the inspector" side="right" width={inspectorWidth} onWidth={setInspectorWidth} />}
        {choice && <Inspector workflow={id} edits={edits} on={search.on} onOn={(on) => void go({ search: (s) => ({ ...s, on }), replace: true })} onStart={(more) => void go({ search: (s) => ({ ...s, ...more, start: true }) })} model={model} choice={choice} counts={counts} onChoose={(c) => (choose(c), c?.kind === 'step' && setFocus({ id: c.id }))} />}
      </div>
      {search.start && workflow && <StartDialog workflow={{ ...workflow, id }} entry={search.entry} until={search.until} onClose={() => void go({ search: (s) => ({ ...s, start: undefined, entry: undefined, until: undefined }), replace: true })} />}
      {cypher && <CypherDialog title={`Cypher of ${title}`} statements={cypherOfWorkflow(id)} onClose={() => setCypher(false)} />}
    </div>
  )
}

function Problems({ model, errors, onGo }: { model: GraphModel; errors: number; onGo: (step: string) => void }) {
  const rest = model.problems.length - errors
  const words = [errors ? `${errors} ${errors === 1 ? 'error' : 'errors'}` : '', rest ? `${rest} ${rest === 1 ? 'warning' : 'warnings'}` : ''].filter(Boolean).join(', ')
  return (
    <details className={errors ? 'problems bad' : 'problems'}>
      <summary>
        <AlertTriangle size={14} aria-hidden /> {words} in this workflow
      </summary>
      <ul>
        {model.problems.map((p, i) => (
          <li key={i}>
            <b>{p.level}</b>{' '}
            {p.step ? (
              <button type="button" className="link" onClick={() => onGo(p.step!)}>
                {p.step}
              </button>
            ) : (
              p.path
            )}{' '}
            {p.message}
          </li>
        ))}
      </ul>
    </details>
  )
}
