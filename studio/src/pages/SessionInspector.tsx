import { useQuery } from '@tanstack/react-query'
import { Database, Pencil } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { type Ask, stepDiffQuery } from '../api/queries'
import type { Execution, ExplainedPath } from '../api/schema'
import { cypherOfPath, cypherOfStep } from '../graph/cypher'
import { type Edits, valueOf } from '../graph/edits'
import { type GraphModel, titleOf } from '../graph/model'
import { type Texts, editedAfter } from '../session/edited'
import { type AgentRound, calledIn } from '../session/agentRounds'
import { roundOf, roundsOf } from '../session/rounds'
import { type UsageText, judgedOf, messageOf, readersOf, usageOf } from '../session/run'
import { clock, cost, count, duration, plural } from '../ui/format'
import { CypherDialog } from '../ui/cypher'
import { Value } from '../ui/json'
import { KindIcon } from '../ui/kindIcon'
import { Button, Status, StatusIcon, Tabs, lookOf, messageOf as refusalOf } from '../ui/parts'
import { EditedNow } from './Edited'
import { AgentRounds, roundsTotal } from './AgentRounds'
import { Kept } from './Kept'
import { Compared, StepHistory } from './StepHistory'
import { Judged } from './Why'
import type { Partial } from './live'
import type { Mend } from './actions'

interface Props {
  session: string
  workflow: string
  model: GraphModel
  step: string
  visit?: number
  /** Of a container or an agent, the round that is shown. */
  round?: number
  /** The rounds of an agent's visit. */
  rounds?: AgentRound[]
  /** What was changed since the page was opened. */
  edits?: Edits
  /** What the steps have been. */
  texts: Texts
  history: Execution[]
  status: string
  since?: number
  now: number
  question?: Ask
  /** A path that was chosen: it is shown how it was judged. A new object each time. */
  judged?: { path: string }
  partial: Partial[]
  /** What the state keeps of the step's outputs. */
  outputs: unknown[]
  /** Two visits to compare; the address holds them. */
  compare?: string
  onCompare: (pair: string | undefined) => void
  onVisit: (step: string, visit?: number, round?: number) => void
  onClose: () => void
  onMend: (m: Mend) => void
  onAgain: (step: string, visit: number) => void
}

type Part = 'input' | 'output' | 'paths' | 'history'

/** SessionInspector shows one visit of one step: what went in, what came out, where it led. */
export function SessionInspector(p: Props) {
  const view = p.model.byId.get(p.step)
  const visits = useMemo(() => p.history.filter((x) => x.step === p.step), [p.history, p.step])
  const live = ['active', 'awaiting_input', 'pending'].includes(p.status)
  const numbers = endedVisits(visits, live)
  const newest = numbers[numbers.length - 1] ?? 0
  const open = live && (p.visit === undefined || p.visit > newest)
  const visit = p.visit ?? newest
  const records = visits.filter((x) => x.visit === visit)
  const ends = records.filter((x) => x.status !== 'round')
  const attempts = ends.length ? ends : records.slice(-1)
  const [attempt, setAttempt] = useState<number>()
  const x = open ? undefined : (attempts.find((a) => a.attempt === attempt) ?? attempts[attempts.length - 1])
  const [chosen, setPart] = useState<Part>('output')
  const part = p.compare === undefined ? chosen : 'history'
  const history = <StepHistory session={p.session} visits={visits} outputs={p.outputs} compare={p.compare} onCompare={p.onCompare} />
  const comparable = visits.length > 1 || p.outputs.length > 1
  const [cypher, setCypher] = useState(false)
  useEffect(() => setAttempt(undefined), [p.step, visit])
  useEffect(() => {
    if (p.judged) setPart('paths')
  }, [p.judged])
  const at = numbers.indexOf(visit)
  const now = p.edits?.steps[p.step]
  const ranOther = view && x?.definition && editedAfter(p.texts, x)
  return (
    <aside className="inspector" aria-label="Inspector" data-region>
      <header>
        <h2>
          <KindIcon kind={view?.kind ?? ''} /> {view?.title ?? p.step}
        </h2>
        <Button quiet aria-label="Show Cypher" title="Show Cypher" icon={<Database size={16} />} onClick={() => setCypher(true)} />
        <Button quiet aria-label="Close the inspector" icon={<span aria-hidden>✕</span>} onClick={p.onClose} />
      </header>
      <div className="row between">
        <Status status={open ? p.status : (x?.status ?? p.status)} />
        {numbers.length + (open ? 1 : 0) > 1 && (
          <span className="stepper" role="group" aria-label="Visit">
            <Button quiet className="small" disabled={open ? numbers.length === 0 : at <= 0} onClick={() => p.onVisit(p.step, open ? newest : numbers[at - 1])} aria-label="Visit before">
              ‹
            </Button>
            <span className="tabular">{open ? `visit ${newest + 1}, now` : `visit ${visit} of ${newest}`}</span>
            <Button quiet className="small" disabled={open || (at >= numbers.length - 1 && !live)} onClick={() => p.onVisit(p.step, at < numbers.length - 1 ? numbers[at + 1] : undefined)} aria-label="Next visit">
              ›
            </Button>
          </span>
        )}
      </div>
      {!view && <p className="note">This step is no longer in the workflow.</p>}
      {ranOther ? <EditedSince key={x!.id + (now ? ' now' : '')} begin={now !== undefined} workflow={p.workflow} step={p.step} from={x!.definition!} model={p.model} /> : <EditedNow edit={now} />}
      {p.edits?.all.filter((e) => e.kind === 'path' && p.model.paths.some((v) => v.id === e.id && v.source === p.step)).map((e) => <EditedNow key={e.id} edit={e} />)}
      {view?.container && (x || open) && <Rounds history={p.history} model={p.model} container={p.step} visit={x?.visit ?? newest + 1} round={p.round} onRound={(n) => p.onVisit(p.step, p.visit, n)} onVisit={p.onVisit} />}
      {p.rounds && p.rounds.length > 0 && <AgentRounds rounds={p.rounds} model={p.model} round={p.round} live={open} onRound={(n) => p.onVisit(p.step, p.visit, n)} onVisit={p.onVisit} />}
      {open && <OpenVisit {...p} />}
      {!open && !x && <p className="none">{p.status === 'skipped' ? 'Skipped: no path led here, and none can any more.' : 'This step has not run in this session.'}</p>}
      {!x && comparable && (
        <details open={p.compare !== undefined}>
          <summary>Compare earlier outputs</summary>
          {history}
        </details>
      )}
      {x && (
        <>
          <Facts x={x} attempts={attempts} rounds={p.rounds?.length ? p.rounds : undefined} onAttempt={setAttempt} history={p.history} model={p.model} onVisit={p.onVisit} />
          {x.error !== undefined && x.error !== null && <p className="wrong">{messageOf(x.error)}</p>}
          <Tabs
            label="Visit"
            value={part}
            onChange={(v) => (setPart(v), p.onCompare(v === 'history' ? '' : undefined))}
            options={[
              ['output', 'Output'],
              ['input', 'Input'],
              ['paths', `Paths ${judgedOf(x).length || ''}`],
              ...(comparable ? [['history', 'Compare'] as [Part, string]] : []),
            ]}
          />
          {part === 'history' && history}
          {part === 'output' && <Kept x={x} value={x.output} label="Output" />}
          {part === 'input' && (
            <>
              <h3>As resolved</h3>
              <Kept x={x} value={x.input} label="Input as resolved" />
              <h3>As written{view ? ', now' : ''}</h3>
              <Value value={written(view?.step.input)} label="Input as written" />
            </>
          )}
          {part === 'paths' && (judgedOf(x).length ? judgedOf(x).map((j) => <JudgedPath key={j.path} path={j as never} workflow={p.workflow} model={p.model} />) : <p className="none">No path leads on from here.</p>)}
          <Lineage x={x} history={p.history} model={p.model} onVisit={p.onVisit} />
          <div className="row">
            <Button className="small" needs="operate" onClick={() => p.onAgain(x.step, x.visit)}>
              Run again from here…
            </Button>
            {x.status === 'error' && p.status === 'error' && (
              <Button className="small" primary needs="operate" onClick={() => p.onMend({ action: 'retry', step: x.step })}>
                Retry…
              </Button>
            )}
            {p.status === 'complete' && (
              <Button className="small" needs="operate" onClick={() => p.onMend({ action: 'advance', step: x.step })}>
                Advance…
              </Button>
            )}
          </div>
        </>
      )}
      {cypher && <CypherDialog title={`Cypher of ${view?.title ?? p.step}`} statements={cypherOfStep(p.workflow, p.step)} onClose={() => setCypher(false)} />}
    </aside>
  )
}

/** endedVisits are the numbers of the visits that have ended: of an agent at work, the newest has only rounds. */
function endedVisits(visits: Execution[], live: boolean): number[] {
  const all = [...new Set(visits.map((x) => x.visit))]
  const last = all.at(-1)
  return live && visits.every((x) => x.visit !== last || x.status === 'round') ? all.slice(0, -1) : all
}

/** JudgedPath is a path as it was judged in a visit, with the statements that find it. */
function JudgedPath({ path, workflow, model }: { path: ExplainedPath; workflow: string; model: GraphModel }) {
  const [cypher, setCypher] = useState(false)
  const view = model.paths.find((v) => v.id === path.path)
  return (
    <div className="judged-path">
      <Judged path={path} model={model} />
      {view && <Button quiet aria-label={`Show Cypher of the path to ${titleOf(model, view.target)}`} title="Show Cypher of the path" icon={<Database size={14} />} onClick={() => setCypher(true)} />}
      {view && cypher && <CypherDialog title="Cypher of the path" statements={cypherOfPath(workflow, view.source, view.target, view.kind)} onClose={() => setCypher(false)} />}
    </div>
  )
}

function written(input: unknown): unknown {
  return input === '' ? undefined : valueOf(input)
}

/** OpenVisit is a visit that has not ended: how long it takes already and what it has written so far. */
function OpenVisit({ step, status, since, now, question, partial, model, onMend }: Props) {
  const texts = partial.filter((t) => t.step === step)
  return (
    <>
      {since !== undefined && (
        <p className="faint">
          {status === 'active' ? 'Running' : 'Waiting'} for {duration(now - since)}
        </p>
      )}
      {question && (
        <>
          <p className="prompt">{question.prompt}</p>
          {question.input !== undefined && <Value value={question.input} label="Input to approve" />}
          <Button className="small" onClick={() => onMend({ action: 'reask', step })}>
            Ask again…
          </Button>
        </>
      )}
      {texts.map((t) => (
        <pre key={t.key} className="stream" aria-label="Written so far">
          {t.text}
          <i className="cursor" aria-hidden />
        </pre>
      ))}
      <h3>Input as written</h3>
      <Value value={written(model.byId.get(step)?.step.input)} label="Input as written" />
    </>
  )
}

/** EditedSince says that a step is no longer what a visit ran, and shows what differs. */
function EditedSince({ begin, workflow, step, from, model }: { begin: boolean; workflow: string; step: string; from: string; model: GraphModel }) {
  const [open, setOpen] = useState(begin)
  const version = useMemo(() => ({ step: model.byId.get(step)?.step, paths: model.paths.filter((v) => v.source === step).map((v) => v.path) }), [model, step])
  const { data, error } = useQuery({ ...stepDiffQuery(workflow, step, from, version), enabled: open })
  const side = (of: 'from' | 'to') => Object.fromEntries((data ?? []).flatMap((d) => (d[of] === undefined ? [] : [[d.name, d.name === 'input' ? written(d[of]) : d[of]]])))
  return (
    <section className="edited-since" aria-label="Edited since">
      <p>
        <Pencil size={12} aria-hidden /> The step was edited after this visit.{' '}
        <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide the difference' : 'Show the difference'}
        </button>
      </p>
      {open && error && <p className="wrong">{refusalOf(error)}</p>}
      {open && data && <Compared title="Step, then and now" before={side('from')} after={side('to')} />}
    </section>
  )
}

/** Rounds picks one round of a container's visit, and leads to the visits of its body in that round. */
function Rounds({ history, model, container, visit, round, onRound, onVisit }: { history: Execution[]; model: GraphModel; container: string; visit: number; round?: number; onRound: (n: number) => void; onVisit: (step: string, visit: number) => void }) {
  const rounds = useMemo(() => roundsOf(history, model, container, visit), [history, model, container, visit])
  if (rounds.length === 0) return <p className="none">No step of it has run in this visit.</p>
  const at = Math.min(Math.max(round ?? rounds.length, 1), rounds.length)
  return (
    <section className="rounds" aria-label="Rounds">
      <span className="stepper" role="group" aria-label="Round">
        <Button quiet className="small" disabled={at <= 1} onClick={() => onRound(at - 1)} aria-label="Round before">
          ‹
        </Button>
        <label>
          round{' '}
          <select aria-label="Round" value={at} onChange={(e) => onRound(Number(e.target.value))}>
            {rounds.map((_, i) => (
              <option key={i} value={i + 1}>
                {i + 1}
              </option>
            ))}
          </select>{' '}
          of {count(rounds.length)}
        </label>
        <Button quiet className="small" disabled={at >= rounds.length} onClick={() => onRound(at + 1)} aria-label="Next round">
          ›
        </Button>
      </span>
      <ul aria-label={`Visits of round ${at}`}>
        {rounds[at - 1].map((x) => (
          <li key={x.id}>
            <button type="button" className="chip" title={lookOf(x.status).text} onClick={() => onVisit(x.step, x.visit)}>
              <StatusIcon status={x.status} size={12} />
              <span className="ellipsis">{titleOf(model, x.step)}</span>
              {x.visit > 1 ? ` ×${x.visit}` : ''}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Facts({ x, attempts, rounds, onAttempt, history, model, onVisit }: { x: Execution; attempts: Execution[]; rounds?: AgentRound[]; onAttempt: (n: number) => void; history: Execution[]; model: GraphModel; onVisit: Props['onVisit'] }) {
  const u = useMemo(() => usageOfVisit(x, rounds), [x, rounds])
  const began = rounds?.[0].x.started_at ?? x.started_at
  const called = useMemo(() => calledIn(history, x), [history, x])
  const inRound = useMemo(() => roundOf(history, model, x), [history, model, x])
  const parent = x.parent ? history.find((p) => p.id === x.parent) : undefined
  return (
    <dl className="facts">
      <dt>Took</dt>
      <dd title={`${clock(began)} to ${clock(x.finished_at)}`}>{duration(Date.parse(x.finished_at) - Date.parse(began))}</dd>
      <dt>Began</dt>
      <dd>{clock(began)}</dd>
      {attempts.length > 1 && (
        <>
          <dt>Attempt</dt>
          <dd>
            <select aria-label="Attempt" value={x.attempt} onChange={(e) => onAttempt(Number(e.target.value))}>
              {attempts.map((a) => (
                <option key={a.seq} value={a.attempt}>
                  {a.attempt}: {a.status}
                </option>
              ))}
            </select>
          </dd>
        </>
      )}
      <dt>Key</dt>
      <dd>
        <code title="The idempotency key of the call, up to the number of the call">
          {x.session}/{x.step}/{x.visit}
        </code>
      </dd>
      {u?.model && (
        <>
          <dt>Model</dt>
          <dd>{u.model}</dd>
        </>
      )}
      {u && (u.input_tokens || u.output_tokens) ? (
        <>
          <dt>Tokens</dt>
          <dd className="tabular">
            {count(u.input_tokens ?? 0)} in{u.cached_tokens ? ` (${count(u.cached_tokens)} cached)` : ''}, {count(u.output_tokens ?? 0)} out{u.estimated ? ', estimated' : ''}
            {rounds && rounds.length > 1 ? `, in ${plural(rounds.length, 'round')}` : ''}
          </dd>
        </>
      ) : null}
      {u?.cost_usd ? (
        <>
          <dt>Cost</dt>
          <dd>
            {cost(u.cost_usd)}
            {u.estimated ? ' (estimated)' : ''}
          </dd>
        </>
      ) : null}
      {inRound && (
        <>
          <dt>Round</dt>
          <dd>
            <button type="button" className="link" onClick={() => onVisit(inRound.container, inRound.visit, inRound.round)}>
              {inRound.round} of {titleOf(model, inRound.container)}
              {inRound.visit > 1 ? `, visit ${inRound.visit}` : ''}
            </button>
          </dd>
        </>
      )}
      {called && (
        <>
          <dt>Called in</dt>
          <dd>
            <button type="button" className="link" onClick={() => onVisit(called.agent, called.visit, called.round)}>
              round {called.round} of {titleOf(model, called.agent)}
              {called.visit > 1 ? `, visit ${called.visit}` : ''}
            </button>
          </dd>
        </>
      )}
      {parent && !called && (
        <>
          <dt>In</dt>
          <dd>
            {titleOf(model, parent.step)}, visit {parent.visit}
          </dd>
        </>
      )}
    </dl>
  )
}

/** usageOfVisit is what a visit used; of an agent all its rounds. */
function usageOfVisit(x: Execution, rounds?: AgentRound[]): UsageText | undefined {
  if (!rounds) return usageOf(x)
  const t = roundsTotal(rounds)
  return { model: t.models.join(', '), input_tokens: t.input, output_tokens: t.output, estimated: t.estimated, cost_usd: t.cost }
}

/** Lineage goes both ways: whose outputs this visit used, and who used its own. */
function Lineage({ x, history, model, onVisit }: { x: Execution; history: Execution[]; model: GraphModel; onVisit: (step: string, visit: number) => void }) {
  const known = new Map(history.map((h) => [h.id, h]))
  const link = (list: Execution[]) =>
    list.map((h) => (
      <button key={h.id} type="button" className="chip" title={h.step} onClick={() => onVisit(h.step, h.visit)}>
        <span className="ellipsis">{titleOf(model, h.step)}</span>
        {h.visit > 1 ? ` ×${h.visit}` : ''}
      </button>
    ))
  const of = (ids: string[]) => ids.map((id) => known.get(id)).filter((h) => h !== undefined)
  const used = of(x.reads ?? [])
  const from = of(x.took ?? [])
  const by = readersOf(history, x.id)
  return (
    <dl className="lineage">
      <dt>Came from</dt>
      <dd>{from.length ? link(from) : <span className="none">the start</span>}</dd>
      <dt>Used outputs of</dt>
      <dd>{used.length ? link(used) : <span className="none">nothing</span>}</dd>
      <dt>Used by</dt>
      <dd>{by.length ? link(by) : <span className="none">nobody yet</span>}</dd>
    </dl>
  )
}
