import { describe, expect, it } from 'vitest'
import type { Execution } from '../api/schema'
import { doneOf, merge, momentsOf, runAt, runOf, totalsOf } from './run'
import { rowsOf, scaleOf } from './timeline'

let seq = 0
function ran(step: string, from: number, to: number, more: Partial<Execution> = {}): Execution {
  seq++
  return {
    id: `s/${seq}`, session: 's', seq, workflow: 'w', step, visit: 1, attempt: 1, status: 'complete',
    started_at: new Date(from).toISOString(), finished_at: new Date(to).toISOString(), reads: [], took: [], ...more,
  }
}

it('counts the steps that are done, of those that the workflow has', () => {
  const run = runOf({ workflow: { root: { status: 'complete' }, a: { status: 'skipped' }, b: { status: 'active' }, gone: { status: 'complete' } } }, [])
  expect(doneOf(run.steps, ['root', 'a', 'b', 'c'])).toEqual({ complete: 1, skipped: 1 })
})

describe('runOf', () => {
  it('joins the state with the history', () => {
    const history = [
      ran('root', 0, 10, { paths: [{ path: 'root>a', target: 'a', open: true }, { path: 'root>b', target: 'b', open: false }] }),
      ran('a', 10, 20, { visit: 3 }),
    ]
    const run = runOf({ workflow: { root: { status: 'complete' }, a: { status: 'active' }, b: { status: 'skipped' } }, engine: { live: { a: { visit: 4 } } } }, history)
    expect(run.steps.a).toMatchObject({ status: 'active', visits: 4 })
    expect(run.steps.b.status).toBe('skipped')
    expect(run.paths['root>a']).toMatchObject({ taken: 1, refused: 0, open: true })
    expect(run.paths['root>b']).toMatchObject({ taken: 0, refused: 1, open: false })
  })
  it('counts the rounds of containers and agents and the children of a map', () => {
    const driven = { each: { body: { round: 1, count: 3 } }, all: { body: { round: 0, at_once: true } }, bot: { agent: { rounds: [1, 2] } }, map: { children: { count: 300, next: 40, live: { '38': 'x', '39': 'y' } } } }
    const run = runOf({ engine: { driven } }, [])
    expect(run.steps.each).toMatchObject({ round: 2, rounds: 3 })
    expect(run.steps.all).toBeUndefined()
    expect(run.steps.bot).toMatchObject({ round: 2 })
    expect(run.steps.map).toMatchObject({ ended: 38, children: 300 })
  })
  it('keeps an unknown status as not reached', () => {
    expect(runOf({ workflow: { a: { status: 'strange' } } }, []).steps.a.status).toBe('idle')
  })
})

describe('replay', () => {
  const history = [ran('ask', 0, 5000, { status: 'answered', paths: [{ path: 'ask>say', target: 'say', open: true }] }), ran('say', 5000, 5002)]
  const moments = momentsOf(history)
  it('goes from the beginning to the end', () => {
    expect(moments.map((m) => `${m.execution.step} ${m.kind}`)).toEqual(['ask start', 'ask end', 'say start', 'say end'])
    expect(runAt(moments, 0).steps).toEqual({})
    expect(runAt(moments, 1).steps.ask.status).toBe('awaiting_input')
    expect(runAt(moments, 2).paths['ask>say'].taken).toBe(1)
    expect(runAt(moments, 3).steps.say.status).toBe('active')
    expect(runAt(moments, 4).steps.say.status).toBe('complete')
  })
})

describe('history', () => {
  it('is merged by number', () => {
    const a = ran('a', 0, 1)
    const b = ran('b', 1, 2)
    expect(merge([b], [a, b]).map((x) => x.step)).toEqual(['a', 'b'])
  })
  it('sums up what models used', () => {
    const t = totalsOf([ran('a', 0, 1, { usage: { model: 'm', input_tokens: 3, output_tokens: 4, cost_usd: 0.5, estimated: true } }), ran('b', 1, 2)])
    expect(t).toEqual({ steps: 2, input: 3, output: 4, cost: 0.5, estimated: true, models: ['m'] })
  })
})

describe('timeline', () => {
  it('has a row a step and keeps visits that are open', () => {
    const rows = rowsOf([ran('a', 0, 10), ran('b', 10, 20), ran('a', 20, 30, { visit: 2 })], [{ step: 'c', visit: 1, status: 'active', from: 30 }], 45)
    expect(rows.map((r) => [r.step, r.bars.length])).toEqual([['a', 2], ['b', 1], ['c', 1]])
    expect(rows[2].bars[0].to).toBe(45)
  })
  it('breaks the axis where a person was waited for', () => {
    const rows = rowsOf([ran('a', 0, 300), ran('ask', 300, 86_400_000, { status: 'answered' }), ran('b', 86_400_000, 86_400_300)], [], 0)
    const scale = scaleOf(rows, 1000)
    expect(scale.pieces.filter((p) => p.broken)).toHaveLength(1)
    expect(scale.x(300) - scale.x(0)).toBeGreaterThan(400)
    expect(scale.x(86_400_300)).toBeCloseTo(1000)
  })
  it('is a plain scale where nothing waits, and never runs backwards', () => {
    const scale = scaleOf(rowsOf([ran('a', 0, 100), ran('b', 100, 400)], [], 0), 800)
    expect(scale.x(100)).toBeCloseTo(200)
    const waits = scaleOf(rowsOf([ran('ask', 0, 60_000, { status: 'answered' })], [], 0), 500)
    expect(waits.x(60_000)).toBeCloseTo(500)
    let before = -1
    for (let t = 0; t <= 400; t += 10) {
      expect(scale.x(t)).toBeGreaterThanOrEqual(before)
      before = scale.x(t)
    }
  })
})
