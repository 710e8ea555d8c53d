import { ChevronDown, ChevronRight } from 'lucide-react'
import type { AgentRound, ToolCall } from '../session/agentRounds'
import { type GraphModel, titleOf } from '../graph/model'
import { messageOf, totalsOf, usageOf } from '../session/run'
import { cost, count, duration, plural } from '../ui/format'
import { Value } from '../ui/json'
import { StatusIcon, lookOf } from '../ui/parts'
import { Kept } from './Kept'

interface Props {
  rounds: AgentRound[]
  model: GraphModel
  /** The round that is open; the newest without one. */
  round?: number
  /** Whether the agent is at work: what has no result yet runs. */
  live: boolean
  onRound: (n: number) => void
  onVisit: (step: string, visit: number) => void
}

/** AgentRounds lists the rounds of an agent's visit: what each call of the model cost, said and asked for. */
export function AgentRounds({ rounds, model, round, live, onRound, onVisit }: Props) {
  const open = Math.min(Math.max(round ?? rounds.length, 1), rounds.length)
  return (
    <section className="rounds" aria-label="Rounds">
      <ol className="agent-rounds">
        {rounds.map((r) => (
          <li key={r.x.id}>
            <button type="button" className="round-head" aria-expanded={r.n === open} onClick={() => onRound(r.n)}>
              {r.n === open ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
              <StatusIcon status={r.x.status} size={12} />
              <b>Round {r.n}</b> <span className="faint tabular">{roundWords(r)}</span>
            </button>
            {r.n === open && <RoundBody round={r} model={model} live={live} onVisit={onVisit} />}
          </li>
        ))}
      </ol>
    </section>
  )
}

function roundWords(r: AgentRound): string {
  const u = usageOf(r.x)
  const tokens = u && (u.input_tokens || u.output_tokens) ? `${count(u.input_tokens ?? 0)} in, ${count(u.output_tokens ?? 0)} out` : ''
  const wrong = r.calls.filter((c) => c.refused !== undefined || c.x?.status === 'error').length
  return [tokens, u?.cost_usd ? cost(u.cost_usd) : '', r.calls.length ? plural(r.calls.length, 'call') : '', wrong ? `${count(wrong)} failed` : ''].filter(Boolean).join(' · ')
}

function RoundBody({ round, model, live, onVisit }: { round: AgentRound; model: GraphModel; live: boolean; onVisit: Props['onVisit'] }) {
  const u = usageOf(round.x)
  return (
    <div className="round-body">
      <p className="faint">
        {u?.model ? `${u.model} ` : ''}
        {u?.model ? 'took' : 'Took'} {duration(Date.parse(round.x.finished_at) - Date.parse(round.x.started_at))}
        {u?.estimated ? '; tokens are estimated' : ''}
      </p>
      {round.failed.map((x) => (
        <p key={x.id} className="wrong">
          Attempt {x.attempt}: {messageOf(x.error) || lookOf(x.status).text}
        </p>
      ))}
      {round.x.status === 'error' && <p className="wrong">{messageOf(round.x.error)}</p>}
      {round.text && <Value value={round.text} label={`What the model said in round ${round.n}`} />}
      {round.calls.map((c, i) => (
        <Call key={i} call={c} model={model} live={live} onVisit={onVisit} />
      ))}
    </div>
  )
}

function Call({ call: c, model, live, onVisit }: { call: ToolCall; model: GraphModel; live: boolean; onVisit: Props['onVisit'] }) {
  const { x } = c
  const status = x ? x.status : c.refused !== undefined ? 'error' : live ? 'active' : 'cancelled'
  return (
    <div className="tool-call" role="group" aria-label={`Call of ${c.name}`}>
      <p>
        <StatusIcon status={status} size={13} />
        {x ? (
          <button type="button" className="link" onClick={() => onVisit(x.step, x.visit)}>
            {titleOf(model, x.step)}
            {x.visit > 1 ? ` ×${x.visit}` : ''}
          </button>
        ) : (
          <b>{c.path ? titleOf(model, c.path.target) : c.name}</b>
        )}
        <span className="faint">
          {x ? (x.status === 'round' ? 'runs' : `${lookOf(x.status).text.toLowerCase()}, ${duration(Date.parse(x.finished_at) - Date.parse(x.started_at))}`) : c.refused !== undefined ? 'refused' : live ? 'runs' : 'did not end'}
        </span>
      </p>
      {c.arguments !== undefined && <Value value={c.arguments} label={`Arguments of ${c.name}`} />}
      {c.refused !== undefined && <p className="wrong">{c.refused}</p>}
      {x && x.error !== undefined && x.error !== null && <p className="wrong">{messageOf(x.error)}</p>}
      {x && x.status !== 'round' && x.output !== undefined && <Kept x={x} value={x.output} label={`Output of ${c.name}`} />}
    </div>
  )
}

/** RoundsTotal is what all rounds of a visit came to. */
export function roundsTotal(rounds: AgentRound[]) {
  return totalsOf(rounds.flatMap((r) => [...r.failed, r.x]))
}
