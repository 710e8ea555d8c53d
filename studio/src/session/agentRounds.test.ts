import { expect, it } from 'vitest'
import type { Execution } from '../api/schema'
import { modelOf } from '../graph/model'
import { agentRounds, calledIn, isAgent, withTools } from './agentRounds'
import { emptyRun } from './run'

const tool = (source: string, target: string, name?: string, priority?: number) => ({ id: `${source}>${target}:${name ?? ''}`, source, target, kind: 'TOOL', name, priority })
const model = modelOf({ id: 'w', steps: ['a', 'b', 'find', 'buy'].map((id) => ({ id, function: 'agent' })), paths: [tool('a', 'find', 'look up', 1), tool('a', 'buy', undefined, 2), tool('a', 'b', 'look_up', 3), tool('b', 'find', 'find')] } as never)

let seq = 0
const x = (step: string, visit: number, more: object): Execution => ({ id: `s/${++seq}`, seq, step, visit, attempt: 1, status: 'complete', started_at: '2026-01-01T00:00:00Z', finished_at: '2026-01-01T00:00:01Z', reads: [], took: [], ...more }) as unknown as Execution
const asks = (...calls: [name: string, args: object][]) => ({ status: 'round', output: { tool_calls: calls.map(([name, args], i) => ({ id: `c${i}`, name, arguments: args })) } })
const words = (calls: ReturnType<typeof agentRounds>[number]['calls']) => calls.map((c) => `${c.name}→${c.x ? `${c.x.step}${c.x.visit}` : (c.refused ?? 'runs')}`)

it('ties calls to the visits that the engine made of them, whatever the order in which they ended', () => {
  seq = 0
  const round = x('a', 1, asks(['look_up', { q: 'one' }], ['buy', { n: 1 }], ['look_up', { q: 'two' }]))
  const history = [round, x('find', 2, { parent: round.id }), x('buy', 1, { parent: round.id }), x('find', 1, { parent: round.id }), x('a', 1, { output: { response: 'Done.' } })]
  const [first, last] = agentRounds(history, model, 'a', 1)
  expect(words(first.calls)).toEqual(['look_up→find1', 'buy→buy1', 'look_up→find2'])
  expect([last.n, last.text, last.calls]).toEqual([2, 'Done.', []])
  expect(calledIn(history, history[1])).toEqual({ agent: 'a', visit: 1, round: 1 })
  expect(calledIn(history, round)).toBeUndefined()
  const { paths } = withTools(emptyRun, history, model)
  expect([paths['a>find:look up'].taken, paths['a>buy:'].taken, paths['a>b:look_up']]).toEqual([2, 1, undefined])
})

it('says which calls were refused, and finds the visit of the others by their arguments', () => {
  seq = 0
  const round = x('a', 1, { status: 'round', output: { ...asks(['buy', { item: 'x' }], ['buy', { item: 'lamp' }], ['nosuch', {}], ['buy', { item: 1 }]).output, refused: { c3: 'item: want text' } } })
  const history = [round, x('buy', 1, { parent: round.id, input: { text: { item: 'lamp' } } }), x('a', 1, {})]
  expect(words(agentRounds(history, model, 'a', 1)[0].calls)).toEqual(['buy→The tool did not run: its arguments did not fit, or the call was ended.', 'buy→buy1', 'nosuch→There is no tool of this name.', 'buy→item: want text'])
})

it('leaves a call that runs open, gives a tool of two names both, and lists visits of which the round says nothing', () => {
  seq = 0
  const round = x('a', 2, asks(['look_up_2', {}], ['buy', {}]))
  const cut = x('a', 2, { status: 'round', output: 'a text that is cut' })
  expect(words(agentRounds([x('a', 1, {}), round], model, 'a', 2)[0].calls)).toEqual(['look_up_2→runs', 'buy→runs'])
  expect(words(agentRounds([cut, x('find', 1, { parent: cut.id })], model, 'a', 2)[0].calls)).toEqual(['look up→find1'])
  const run = withTools(emptyRun, [round], model, { engine: { driven: { a: { agent: { calls: [{ path: 'a>buy:', state: 'runs' }, { path: 'a>b:look_up' }] } } } } })
  expect(Object.keys(run.paths)).toEqual(['a>buy:'])
})

it('counts a call of the model that failed to the round that it became', () => {
  seq = 0
  const lost = x('a', 1, { status: 'error', error: { message: 'rate limit' } })
  const rounds = agentRounds([lost, x('a', 1, { ...asks(), attempt: 2 }), x('a', 1, { status: 'error', attempt: 3 })], model, 'a', 1)
  expect(rounds.map((r) => [r.n, r.x.status, r.failed.length])).toEqual([[1, 'round', 1], [2, 'error', 0]])
  expect([isAgent([], model, 'a'), isAgent([], model, 'find'), isAgent([x('find', 1, asks())], model, 'find')]).toEqual([true, false, true])
})
