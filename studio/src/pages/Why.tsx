import { useQuery } from '@tanstack/react-query'
import { Check, X } from 'lucide-react'
import { explainQuery } from '../api/queries'
import type { Clause, ExplainedPath, Reason } from '../api/schema'
import { type GraphModel, titleOf } from '../graph/model'
import { shorten } from '../graph/words'
import { Button, ErrorState, Loading, StatusIcon } from '../ui/parts'
import { type Mend, ACTIONS, remedyOf } from './actions'
import { VERDICTS, verdictOfClause } from './verdict'

const KIND: Record<string, string> = { question: 'awaiting_input', pending: 'pending', join: 'pending', error: 'error', retry: 'active', paused: 'paused', cancelled: 'cancelled', running: 'active', held: 'paused', due: 'pending' }

/** Why says why a session does not go on, with the action that mends it. */
export function Why({ session, version, model, onMend, onEdit, onStep }: { session: string; version: string; model?: GraphModel; onMend: (m: Mend) => void; onEdit: () => void; onStep: (step: string) => void }) {
  const found = useQuery({ ...explainQuery(session), queryKey: ['explain', session, version] })
  if (found.isPending) return <Loading what="the explanation" lines={3} />
  if (!found.data) return <ErrorState error={found.error} again={() => void found.refetch()} />
  const { because, ends = [], status } = found.data
  return (
    <div className="why">
      {because.length === 0 && ends.length === 0 && <p className="none">{status === 'complete' ? 'The session is complete. Nothing is left to do.' : 'Nothing holds this session.'}</p>}
      {because.map((r, i) => (
        <Because key={i} reason={r} model={model} onMend={onMend} onEdit={onEdit} onStep={onStep} />
      ))}
      {ends.map((e) => (
        <section key={e.step} className="reason">
          <h4>
            <StatusIcon status="complete" />
            <button type="button" className="link" onClick={() => onStep(e.step)}>
              {titleOf(model, e.step)}
            </button>
            <span className="faint">{e.paths.length === 0 ? 'has no path on: the session ends here' : 'finished; the session went no further'}</span>
          </h4>
          {e.paths.map((p) => (
            <Judged key={p.path} path={p} model={model} />
          ))}
          {e.paths.length > 0 && (
            <Button className="small" needs="operate" onClick={() => onMend({ action: 'advance', step: e.step })}>
              Judge its paths again…
            </Button>
          )}
        </section>
      ))}
    </div>
  )
}

function Because({ reason: r, model, onMend, onEdit, onStep }: { reason: Reason; model?: GraphModel; onMend: (m: Mend) => void; onEdit: () => void; onStep: (step: string) => void }) {
  const remedy = remedyOf(r.mend)
  return (
    <section className="reason">
      <h4>
        <StatusIcon status={KIND[r.kind] ?? (r.kind === 'step_gone' ? 'error' : 'error')} />
        {r.step && (
          <button type="button" className="link" onClick={() => onStep(r.step!)}>
            {titleOf(model, r.step)}
          </button>
        )}
        <span className="faint">{r.kind.replaceAll('_', ' ')}</span>
      </h4>
      <p>{r.message}</p>
      {r.missing?.map((m) => (
        <p key={m} className="missing">
          No value: <code>{shorten(m)}</code>. {sourceOf(m, model)}
        </p>
      ))}
      {remedy?.first && <p className="faint">First: {remedy.first}.</p>}
      {remedy ? (
        <Button className="small" primary needs="operate" onClick={() => (remedy.action === 'edit' ? onEdit() : onMend(remedy))}>
          {remedy.action === 'edit' ? 'Edit the state' : ACTIONS[remedy.action].text}…
        </Button>
      ) : (
        r.mend && !r.mend.includes('session answer') && (
          <p className="faint">
            What mends it: <code>{r.mend}</code>
          </p>
        )
      )}
    </section>
  )
}

function sourceOf(reference: string, model?: GraphModel): string {
  const step = /@\{[^}]*\}\.([\p{L}\d_-]+)/u.exec(reference)?.[1]
  return step ? `It should come from ${step === 'initial' ? 'the inputs' : titleOf(model, step)}.` : ''
}

/** Judged is one path with each clause of its condition: operand, value, result. */
export function Judged({ path: p, model }: { path: ExplainedPath; model?: GraphModel }) {
  return (
    <div className="judged">
      <p>
        {p.open ? <Check size={14} className="tone-complete" aria-hidden /> : <X size={14} className="tone-failed" aria-hidden />} <b>{titleOf(model, p.target)}</b> {p.open ? 'open' : 'closed'}
      </p>
      {p.error && <p className="wrong">{p.error}</p>}
      {p.clauses && p.clauses.length > 0 && <Clauses list={p.clauses} />}
    </div>
  )
}

/** Compared is what an operand came to; no value is a state of its own, not false in disguise. */
function Compared({ name, value }: { name?: string; value: unknown }) {
  return (
    <div>
      {name !== undefined && <code>{name} = </code>}
      {value === undefined ? <em>no value</em> : <code>{JSON.stringify(value)}</code>}
    </div>
  )
}

/** Clauses are the parts of a condition, each with what its operand came to. */
export function Clauses({ list }: { list: Clause[] }) {
  return (
    <table className="clauses">
      <thead>
        <tr>
          <th scope="col">Operand</th>
          <th scope="col">Value</th>
          <th scope="col">Result</th>
        </tr>
      </thead>
      <tbody>
        {list.map((c, i) => (
          <tr key={i}>
            <td>
              <code>
                {/(^|\.)false(\[|$)/.test(c.path) ? 'not ' : ''}
                {typeof c.operand === 'string' ? shorten(c.operand) : JSON.stringify(c.operand)}
              </code>
            </td>
            <td>{c.values?.length ? c.values.map((v) => <Compared key={v.reference} name={shorten(v.reference)} value={v.value} />) : <Compared value={c.value} />}</td>
            <td>{VERDICTS[verdictOfClause(c)]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
