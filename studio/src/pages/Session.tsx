import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { CircleHelp, Database, ListTree, MessageSquare, MoreHorizontal } from 'lucide-react'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { logQuery, workflowQuery } from '../api/queries'
import type { Execution, Session } from '../api/schema'
import { type Choice, Flow } from '../canvas/Flow'
import { Canvas } from '../canvas/context'
import { light, newRunStore, show, showEdited } from '../canvas/runStore'
import { cypherOfSession } from '../graph/cypher'
import { type GraphModel, modelOf, titleOf } from '../graph/model'
import { useEdits } from '../graph/edits'
import { useLayout } from '../graph/useLayout'
import { agentRounds, isAgent, withTools } from '../session/agentRounds'
import { type Texts, editedSteps, textsOf } from '../session/edited'
import { elapsedOf } from '../session/elapsed'
import { type RunView, begunBy, doneOf, idle, momentsOf, runAt, runOf, standsAt, totalsOf } from '../session/run'
import { outputsOf } from '../session/versions'
import { type OpenVisit, rowsOf } from '../session/timeline'
import { clock, cost, count, duration, plural, short } from '../ui/format'
import { CypherDialog } from '../ui/cypher'
import { Splitter, useWidth } from '../ui/Splitter'
import { Menu } from '../ui/menu'
import { Button, Copy, ErrorState, Loading, Status, Tabs } from '../ui/parts'
import type { Panel } from '../app/router'
import { ActionDialog } from './ActionDialog'
import { Chat } from './Chat'
import { EditedBar } from './Edited'
import { Outline } from './Outline'
import { Replay } from './Replay'
import { RequestsPanel, HistoryPanel, StatePanel } from './SessionPanels'
import { RunAgainDialog } from './RunAgainDialog'
import { endsAt } from './runAgain'
import { SessionInspector } from './SessionInspector'
import { Timeline } from './Timeline'
import { Why } from './Why'
import { type Mend, ACTIONS } from './actions'
import { useAnnouncement } from './announce'
import { type Live, useLive, useNow } from './live'

export function SessionPage() {
  const { session: id } = useParams({ from: '/sessions/$session' })
  const live = useLive(id)
  if (!live.session) return live.loaded && live.error ? <ErrorState error={live.error} title="This session could not be loaded" back={<Link className="button" to="/sessions">Go to sessions</Link>} /> : <Loading what="the session" />
  return <View key={id} id={id} live={live} session={live.session} />
}

const ENDED = ['complete', 'error', 'cancelled']

/** currentRun joins the state that was read with what events said since. */
function currentRun(live: Live): RunView {
  const run = runOf(live.state, live.history)
  for (const [step, s] of Object.entries(live.steps)) {
    const before = run.steps[step] ?? idle
    run.steps[step] = { ...before, status: s.status, visits: Math.max(before.visits, s.visit), since: before.status === s.status ? before.since : s.at }
  }
  return run
}

/** useTexts reads what the steps have been, again each time that the workflow has changed. */
function useTexts(workflow: string, model: GraphModel | undefined, history: Execution[]): Texts {
  const client = useQueryClient()
  const [texts, setTexts] = useState<Texts>(new Map())
  const any = history.length > 0
  useEffect(() => {
    let gone = false
    if (!model || !any) return
    void client.fetchQuery({ ...logQuery(workflow), staleTime: 0 }).then((log) => !gone && setTexts(textsOf(log)), () => undefined) // without it no step is marked
    return () => {
      gone = true
    }
  }, [client, workflow, model, any])
  return texts
}

function View({ id, live, session }: { id: string; live: Live; session: Session }) {
  const search = useSearch({ from: '/sessions/$session' })
  const go = useNavigate({ from: '/sessions/$session' })
  const workflow = useQuery(workflowQuery(session.workflow))
  const text = workflow.data ? JSON.stringify([workflow.data.steps, workflow.data.paths]) : ''
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const model = useMemo(() => (workflow.data ? modelOf({ ...workflow.data, id: session.workflow }) : undefined), [text, session.workflow])
  const [asDrawn, setAsDrawn] = useState(false)
  const layout = useLayout(model, asDrawn)
  const running = session.status === 'active'
  const now = useNow(running || session.status === 'awaiting_input')
  const run = useMemo(() => withTools(currentRun(live), live.history, model, live.state), [live, model])
  const moments = useMemo(() => momentsOf(live.history), [live.history])
  const shown = useMemo(() => (search.at === undefined ? run : withTools(runAt(moments, search.at), begunBy(moments, search.at), model)), [run, moments, search.at, model])
  const store = useMemo(newRunStore, [])
  useEffect(() => show(store, shown, search.at === undefined), [store, shown, search.at])
  const texts = useTexts(session.workflow, model, live.history)
  useEffect(() => showEdited(store, editedSteps(texts, live.history)), [store, texts, live.history])

  const rounds = useMemo(() => (model && search.step && isAgent(live.history, model, search.step) ? agentRounds(live.history, model, search.step, search.visit ?? run.steps[search.step]?.visits ?? 1) : undefined), [live.history, model, run, search.step, search.visit])
  const round = rounds?.[Math.min(search.round ?? rounds.length, rounds.length) - 1]
  useEffect(() => light(store, round?.calls.flatMap((c) => (c.path ? [c.path.id] : [])) ?? []), [store, round])

  const [side, setSide] = useState<'chat' | 'why' | 'outline'>(session.status === 'error' || session.status === 'pending' ? 'why' : 'chat')
  const [sideWidth, setSideWidth] = useWidth('side', 290)
  const [inspectorWidth, setInspectorWidth] = useWidth('inspector', 340)
  const [mend, setMend] = useState<Mend>()
  const [again, setAgain] = useState<{ step: string; visit: number }>()
  const [cypher, setCypher] = useState(false)
  const [focus, setFocus] = useState<{ id: string }>()
  const [hover, setHover] = useState<string>()
  const [editing, setEditing] = useState<object>()
  useEffect(() => {
    if (!hover) return
    const card = document.querySelector(`.react-flow__node[data-id="${CSS.escape(hover)}"]`)
    card?.classList.add('hovered')
    return () => card?.classList.remove('hovered')
  }, [hover])

  const choice: Choice = search.step ? { kind: 'step', id: search.step } : undefined
  const [judged, setJudged] = useState<{ path: string }>()
  const choose = useCallback(
    (c: Choice) => {
      const path = c?.kind === 'path' ? model?.paths.find((p) => p.id === c.id) : undefined // how it was judged stands with the step it leaves
      setJudged(path && { path: path.id })
      void go({ search: (s) => ({ ...s, step: c?.kind === 'step' ? c.id : path?.source, visit: undefined, round: undefined, compare: undefined }), replace: true })
    },
    [go, model],
  )
  const visit = useCallback(
    (step: string, n?: number, round?: number) => {
      void go({ search: (s) => ({ ...s, step, visit: n, round, compare: s.step === step ? s.compare : undefined }), replace: true })
      setFocus({ id: step })
    },
    [go],
  )
  const open: OpenVisit[] = useMemo(
    () =>
      Object.entries(run.steps)
        .filter(([, s]) => s.status === 'active' || s.status === 'awaiting_input' || s.status === 'pending')
        .map(([step, s]) => {
          const asked = session.awaiting.find((q) => q.step === step && !q.session)
          return { step, visit: Math.max(1, s.visits), status: s.status, from: asked ? Date.parse(asked.since) : (s.since ?? now) }
        }),
    [run, session.awaiting, now],
  )
  const rows = useMemo(() => rowsOf(live.history, open, now), [live.history, open, now])
  const [edits, seen] = useEdits(model)
  const context = useMemo(() => ({ run: store, counts: {}, edits }), [store, edits])
  const panel: Panel = search.panel ?? 'timeline'
  const toPanel = (p: Panel) => void go({ search: (s) => ({ ...s, panel: p }), replace: true })
  const announcement = useAnnouncement(model, run.steps, session.status, live.loaded)
  const question = search.step ? session.awaiting.find((q) => q.step === search.step) : undefined
  const outputs = useMemo(() => outputsOf(live.state?.data?.outputs, search.step ?? ''), [live.state, search.step])
  const stepRun = search.step ? run.steps[search.step] : undefined

  return (
    <div className="full">
      <p className="sr" role="status" aria-label="Changes">
        {announcement}
      </p>
      <Head session={session} live={live} now={now} run={run} model={model} onMend={setMend} onCypher={() => setCypher(true)} />
      {live.gone && (
        <p className="problems bad" role="alert">
          This session was removed. What you see was read before. <Link to="/sessions">Go to sessions</Link>
        </p>
      )}
      <EditedBar edits={edits} onGo={choose} onSeen={seen} />
      <div className="split session" style={{ ['--side' as string]: `${sideWidth}px`, ['--inspector' as string]: `${inspectorWidth}px` }}>
        <div className="side">
          <Tabs
            label="Side"
            value={side}
            onChange={setSide}
            options={[
              ['chat', <><MessageSquare size={14} aria-hidden /> Chat</>],
              ['why', <><CircleHelp size={14} aria-hidden /> Why here?</>],
              ['outline', <><ListTree size={14} aria-hidden /> Steps</>],
            ]}
          />
          {side === 'chat' && <Chat session={session} messages={live.messages} partial={live.partial.filter((p) => p.person)} onStop={() => setMend({ action: 'cancel' })} onAnswered={() => undefined} />}
          {side === 'why' && <Why session={id} version={`${live.history.length} ${session.status} ${session.version} ${session.awaiting.length}`} model={model} onMend={setMend} onEdit={() => (setEditing({}), toPanel('state'))} onStep={(s) => visit(s)} />}
          {side === 'outline' && model && <Outline model={model} choice={choice} counts={{}} run={shown.steps} onChoose={(s) => visit(s)} />}
        </div>
        <Splitter label="Width of the chat" side="left" width={sideWidth} onWidth={setSideWidth} />
        <div className="middle">
          <section className="stage" aria-label="Workflow" data-region>
            {workflow.isError && !workflow.data && <ErrorState error={workflow.error} title="The workflow of this session is gone" />}
            {model && layout ? (
              <Canvas value={context}>
                <Flow model={model} layout={layout} choice={choice} onChoose={choose} asDrawn={asDrawn} onAsDrawn={setAsDrawn} focus={focus} begin={search.step ?? standsAt(run.steps)} />
              </Canvas>
            ) : (
              !workflow.isError && <Loading what="the workflow" />
            )}
            {ENDED.includes(session.status) && moments.length > 0 && <Replay moments={moments} title={(s) => titleOf(model, s)} at={search.at} onAt={(at) => void go({ search: (s) => ({ ...s, at }), replace: true })} />}
          </section>
          <section className="lower" aria-label="History" data-region>
            <Tabs
              label="History"
              value={panel}
              onChange={toPanel}
              options={[
                ['timeline', 'Timeline'],
                ['history', `Visits ${count(live.history.length)}`],
                ['state', 'State'],
                ['requests', 'Requests'],
              ]}
            />
            {panel === 'timeline' && (rows.length ? <Timeline rows={rows} model={model} chosen={search.step ? { step: search.step, visit: search.visit } : undefined} onChoose={visit} onHover={setHover} /> : <p className="none centre">Nothing has run yet.</p>)}
            {panel === 'history' && <HistoryPanel history={live.history} model={model} chosen={search.step} visit={search.visit} onChoose={visit} />}
            {panel === 'state' && <StatePanel session={session} history={live.history.length} editing={editing} />}
            {panel === 'requests' && <RequestsPanel session={id} version={live.history.length} />}
          </section>
        </div>
        {search.step && model && <Splitter label="Width of the inspector" side="right" width={inspectorWidth} onWidth={setInspectorWidth} />}
        {search.step && model && (
          <SessionInspector
            session={id}
            workflow={session.workflow}
            model={model}
            step={search.step}
            visit={search.visit}
            round={search.round}
            rounds={rounds}
            texts={texts}
            edits={edits}
            history={live.history}
            status={stepRun?.status ?? 'idle'}
            since={question ? Date.parse(question.since) : stepRun?.since}
            now={now}
            question={question}
            judged={judged}
            partial={live.partial}
            outputs={outputs}
            compare={search.compare}
            onCompare={(compare) => void go({ search: (s) => ({ ...s, compare }), replace: true })}
            onVisit={visit}
            onClose={() => choose(undefined)}
            onMend={setMend}
            onAgain={(step, n) => setAgain({ step, visit: n })}
          />
        )}
      </div>
      {mend && <ActionDialog session={id} action={mend.action} step={mend.step} steps={model?.steps.map((s) => s.id) ?? []} onClose={() => setMend(undefined)} onDone={() => undefined} />}
      {again && <RunAgainDialog session={id} step={again.step} visit={again.visit} model={model} onClose={() => setAgain(undefined)} />}
      {cypher && <CypherDialog title="Cypher of this session" statements={cypherOfSession(id)} onClose={() => setCypher(false)} />}
    </div>
  )
}

function Head({ session, live, now, run, model, onMend, onCypher }: { session: Session; live: Live; now: number; run: RunView; model?: GraphModel; onMend: (m: Mend) => void; onCypher: () => void }) {
  const totals = useMemo(() => totalsOf(live.history), [live.history])
  const elapsed = useMemo(() => elapsedOf(session, live.history, now), [session, live.history, now])
  const done = useMemo(() => model && doneOf(run.steps, [...model.byId.keys()]), [run, model])
  return (
    <header className="bar">
      <div className="bar-title">
        <Link to="/workflows/$workflow" params={{ workflow: session.workflow }} className="faint">
          {session.workflow}
        </Link>
        <span className="faint" aria-hidden>
          /
        </span>
        <h1 title={session.id}>{short(session.id)}</h1>
        <Copy text={session.id} label="Copy id" />
      </div>
      <div className="bar-facts">
        <Status status={session.status} />
        <span className="faint tabular" title={`Started ${clock(session.created_at)}${elapsed.end ? `, ended ${clock(elapsed.end)}` : ''}`}>
          {elapsed.what} {duration(elapsed.ms)}
        </span>
        {done && model && (
          <span className="faint tabular" title={done.skipped ? `${done.skipped} skipped` : undefined}>
            {count(done.complete)} of {plural(model.steps.length, 'step')} done
          </span>
        )}
        <span className="faint">{plural(totals.steps, 'visit')}</span>
        {totals.models.length > 0 && (
          <span className="faint ellipsis" title={totals.models.join(', ')}>
            {totals.models[0]}
            {totals.models.length > 1 ? ` and ${totals.models.length - 1} more` : ''}
          </span>
        )}
        {totals.input + totals.output > 0 && (
          <span className="faint tabular" title="Tokens">
            {count(totals.input)} in, {count(totals.output)} out
            {totals.estimated ? ' (estimated)' : ''}
          </span>
        )}
        {totals.cost > 0 && (
          <span className="faint">
            {cost(totals.cost)}
            {totals.estimated ? ' estimated' : ''}
          </span>
        )}
        {session.labels && Object.entries(session.labels).map(([k, v]) => (
          <Link key={k} to="/sessions" search={{ label: [`${k}=${v}`] }} className="chip">
            {k}={v}
          </Link>
        ))}
        {live.watching === 'waiting' && <span className="chip tone-awaiting">Connecting again…</span>}
      </div>
      <Actions session={session} live={live} onMend={onMend} onCypher={onCypher} />
    </header>
  )
}

function Actions({ session, live, onMend, onCypher }: { session: Session; live: Live; onMend: (m: Mend) => void; onCypher: () => void }) {
  const first: Mend['action'] | undefined = session.status === 'error' ? 'retry' : session.status === 'paused' ? 'resume' : undefined
  const [end] = session.status === 'complete' ? endsAt(live.state) : []
  return (
    <div className="row">
      {end && (
        <Button primary needs="operate" title={`It was to go up to ${end}`} onClick={() => onMend({ action: 'advance', step: end })}>
          Go on…
        </Button>
      )}
      {first && (
        <Button primary needs="operate" onClick={() => onMend({ action: first })}>
          {ACTIONS[first].text}
        </Button>
      )}
      <Button quiet aria-label="Show Cypher" title="Show Cypher" icon={<Database size={16} />} onClick={onCypher} />
      <Menu
        label="Actions"
        text="Actions"
        needs="operate"
        icon={<MoreHorizontal size={16} aria-hidden />}
        entries={(['pause', 'resume', 'retry', 'advance', 'move', 'reask', 'rollback', 'cancel'] as const).map((a) => ({ text: `${ACTIONS[a].text}…`, run: () => onMend({ action: a }) }))}
      />
    </div>
  )
}

