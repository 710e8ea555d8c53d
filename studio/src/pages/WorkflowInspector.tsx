import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight, Database } from 'lucide-react'
import { useState } from 'react'
import type { Choice } from '../canvas/Flow'
import { PLACES, type StepCounts } from '../canvas/context'
import { cypherOfPath, cypherOfStep } from '../graph/cypher'
import { type Edit, type Edits, valueOf } from '../graph/edits'
import { type GraphModel, type PathView, type StepView, titleOf } from '../graph/model'
import { count } from '../ui/format'
import { CypherDialog } from '../ui/cypher'
import { Value } from '../ui/json'
import { KindIcon } from '../ui/kindIcon'
import { Button, StatusIcon, lookOf } from '../ui/parts'
import { EditedNow } from './Edited'
import { Truth } from './Truth'
import { standingAt } from './counts'
import { before } from './runAgain'
import { trafficQuery } from './overlay'

interface Props {
  workflow: string
  model: GraphModel
  choice: Choice
  counts: StepCounts
  onChoose: (c: Choice) => void
  /** The session on which a path's condition is judged. */
  on?: string
  onOn: (session: string | undefined) => void
  edits?: Edits
  onStart: (more: { entry?: string; until?: string[] }) => void
}

/** Inspector shows a step or a path of a definition. */
export function Inspector({ workflow, model, choice, counts, edits, on, onOn, onChoose, onStart }: Props) {
  const step = choice?.kind === 'step' ? model.byId.get(choice.id) : undefined
  const path = choice?.kind === 'path' ? model.paths.find((p) => p.id === choice.id) : undefined
  if (!step && !path) return null
  return (
    <aside className="inspector" aria-label="Inspector" data-region>
      {step ? <StepPart key={step.id} edit={edits?.steps[step.id]} workflow={workflow} model={model} step={step} counts={counts[step.id] ?? {}} onChoose={onChoose} onStart={onStart} /> : <PathPart edit={edits?.paths[path!.id]} workflow={workflow} model={model} path={path!} on={on} onOn={onOn} onChoose={onChoose} />}
    </aside>
  )
}

function StepPart({ workflow, model, step, edit, counts, onChoose, onStart }: { edit?: Edit; onStart: Props['onStart']; workflow: string; model: GraphModel; step: StepView; counts: Record<string, number>; onChoose: (c: Choice) => void }) {
  const [cypher, setCypher] = useState(false)
  const problems = model.problems.filter((p) => p.step === step.id)
  const stops = before(model, step.id)
  return (
    <>
      <header>
        <h2>
          <KindIcon kind={step.kind} /> {step.title}
        </h2>
        <Button quiet aria-label="Show Cypher" title="Show Cypher" icon={<Database size={16} />} onClick={() => setCypher(true)} />
        <Button quiet aria-label="Close the inspector" icon={<span aria-hidden>✕</span>} onClick={() => onChoose(undefined)} />
      </header>
      <EditedNow edit={edit} />
      {step.step.description && <p>{step.step.description}</p>}
      {problems.map((p, i) => (
        <p key={i} className={p.level === 'error' ? 'wrong' : 'note'}>
          {p.message}
        </p>
      ))}
      <div className="chips">
        {PLACES.filter((p) => counts[p]).map((p) => (
          <Link key={p} to="/sessions" search={standingAt(workflow, step.id, p)} className={`chip tone-${lookOf(p).tone}`}>
            <StatusIcon status={p} size={13} /> {count(counts[p])} {p === 'awaiting_input' ? 'waiting here' : lookOf(p).text.toLowerCase() + ' here'}
          </Link>
        ))}
      </div>
      <dl className="facts">
        <dt>Id</dt>
        <dd>
          <code>{step.id}</code>
        </dd>
        <dt>Function</dt>
        <dd>
          {step.kindText} {step.step.function && <code>{step.step.function}</code>}
        </dd>
        {step.parent && (
          <>
            <dt>In</dt>
            <dd>
              <button type="button" className="link" onClick={() => onChoose({ kind: 'step', id: step.parent! })}>
                {model.byId.get(step.parent)!.title}
              </button>
            </dd>
          </>
        )}
        {settings(step).map(([k, v]) => (
          <Fact key={k} name={k} value={v} />
        ))}
      </dl>
      {!step.parent && !step.tool && (
        <div className="row" role="group" aria-label="Run">
          <Button className="small" needs="answer" title="Start a session that ends after this step" onClick={() => onStart({ until: [step.id] })}>
            Run up to here…
          </Button>
          {stops.length > 0 && (
            <Button className="small" needs="answer" title="Start a session that ends before this step" onClick={() => onStart({ until: stops })}>
              Stop before it…
            </Button>
          )}
          <Button className="small" needs="answer" title="Run this step with the values of a past session" onClick={() => onStart({ entry: step.id, until: [step.id] })}>
            Run only this…
          </Button>
        </div>
      )}
      <h3>Input</h3>
      <Value value={valueOf(step.step.input || undefined)} label="Input as written" />
      <PathList title="Then" model={model} paths={model.paths.filter((p) => p.source === step.id)} end="target" onChoose={onChoose} none="The session ends here." />
      <PathList title="Comes from" model={model} paths={model.paths.filter((p) => p.target === step.id)} end="source" onChoose={onChoose} none={step.parent ? 'It begins a round.' : 'Nothing leads here.'} />
      {cypher && <CypherDialog title={`Cypher of ${step.title}`} statements={cypherOfStep(workflow, step.id)} onClose={() => setCypher(false)} />}
    </>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  )
}

function settings(v: StepView): [string, string][] {
  const s = v.step
  const out: [string, string][] = []
  if (s.join === 'all') out.push(['Joins', 'waits for everything that can still come'])
  if (s.approval) out.push(['Approval', 'a person approves before it runs'])
  if (s.on_error === 'continue') out.push(['On error', 'goes on; its paths are judged'])
  if (s.on_error === 'fail_session') out.push(['On error', 'ends the session'])
  if (s.timeout) out.push(['Timeout', String(s.timeout)])
  if (s.retry) out.push(['Retry', typeof s.retry === 'string' ? s.retry : JSON.stringify(s.retry)])
  if (s.bypass) out.push(['Bypass', 'yes: it is passed through'])
  if (s.inactive) out.push(['Inactive', 'yes'])
  return out
}

function PathList({ title, model, paths, end, onChoose, none }: { title: string; model: GraphModel; paths: PathView[]; end: 'source' | 'target'; onChoose: (c: Choice) => void; none: string }) {
  return (
    <>
      <h3>{title}</h3>
      {paths.length === 0 ? (
        <p className="none">{none}</p>
      ) : (
        <ul className="path-list">
          {paths.map((p) => (
            <li key={p.id}>
              <button type="button" className="link" onClick={() => onChoose({ kind: 'step', id: p[end] })}>
                {model.byId.get(p[end])!.title}
              </button>
              <button type="button" className="path-words" onClick={() => onChoose({ kind: 'path', id: p.id })}>
                {p.kind === 'TOOL' ? `as tool ${p.label}` : p.condition ? `when ${p.condition}` : p.label || 'always'}
                {p.back && ' · back'}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** Judgements is how often a path was taken: what its condition came to in the sessions that were there. */
function Judgements({ workflow, path }: { workflow: string; path: string }) {
  const { data } = useQuery(trafficQuery(workflow, 24))
  if (!data) return null
  const t = data.paths[path]
  if (!t) return <p className="none">Not judged in the last 24 hours.</p>
  return (
    <p>
      Taken <b>{count(t.taken)}</b> of {count(t.taken + t.refused)} times in the last 24 hours.
    </p>
  )
}

function PathPart({ workflow, model, path, edit, on, onOn, onChoose }: Pick<Props, 'on' | 'onOn'> & { edit?: Edit; workflow: string; model: GraphModel; path: PathView; onChoose: (c: Choice) => void }) {
  const [cypher, setCypher] = useState(false)
  const p = path.path
  return (
    <>
      <header>
        <h2>
          {model.byId.get(path.source)!.title} <ArrowRight size={14} aria-label="to" /> {model.byId.get(path.target)!.title}
        </h2>
        <Button quiet aria-label="Show Cypher" title="Show Cypher" icon={<Database size={16} />} onClick={() => setCypher(true)} />
        <Button quiet aria-label="Close the inspector" icon={<span aria-hidden>✕</span>} onClick={() => onChoose(undefined)} />
      </header>
      <EditedNow edit={edit} />
      <p>{path.kind === 'TOOL' ? 'A tool: the step before it may call the step behind it.' : path.condition ? `Taken when ${path.condition}.` : 'Always taken.'}</p>
      <Judgements workflow={workflow} path={path.id} />
      <dl className="facts">
        <Fact name="Id" value={path.id} />
        {p.label && <Fact name="Label" value={p.label} />}
        {p.name && <Fact name="Name" value={p.name} />}
        {p.description && <Fact name="About" value={p.description} />}
        {p.priority !== undefined && <Fact name="Priority" value={String(p.priority)} />}
        {p.operator && <Fact name="Operator" value={p.operator} />}
        {path.back && <Fact name="Back" value="closes a loop" />}
      </dl>
      {p.condition !== undefined && (
        <>
          <h3>Condition as written</h3>
          <Value value={valueOf(p.condition)} label="Condition as written" />
          {path.kind === 'NEXT' && <Truth key={path.id} workflow={workflow} path={path} on={on} onOn={onOn} />}
        </>
      )}
      {Object.keys(p.extra ?? {}).length > 0 && (
        <>
          <h3>Other properties</h3>
          <Value value={p.extra} label="Other properties" />
        </>
      )}
      <div className="row">
        <Button className="small" onClick={() => onChoose({ kind: 'step', id: path.source })}>
          Go to {titleOf(model, path.source)}
        </Button>
        <Button className="small" onClick={() => onChoose({ kind: 'step', id: path.target })}>
          Go to {titleOf(model, path.target)}
        </Button>
      </div>
      {cypher && <CypherDialog title="Cypher of the path" statements={cypherOfPath(workflow, path.source, path.target, path.kind)} onClose={() => setCypher(false)} />}
    </>
  )
}
