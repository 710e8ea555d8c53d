import { expect, it } from 'vitest'
import type { Execution } from '../api/schema'
import { modelOf } from '../graph/model'
import { roundOf, roundsOf } from './rounds'

const contains = (source: string, target: string) => ({ source, target, kind: 'CONTAINS' })
const step = (id: string) => ({ id, function: 'template' })

/** ran reads a history such as `a a>b each`: a step, and before > the step it came from. */
function ran(text: string): Execution[] {
  const visits: Record<string, number> = {}
  return text.split(' ').map((word, i) => {
    const [from, to] = word.split('>')
    const again = word.endsWith('!')
    const name = (to ?? from).replace('!', '')
    if (!again) visits[name] = (visits[name] ?? 0) + 1
    return { id: `s/${i + 1}`, seq: i + 1, step: name, visit: visits[name], attempt: again ? 2 : 1, took: to ? [`s/${i}`] : [] } as unknown as Execution
  })
}

const words = (rounds: Execution[][]) => rounds.map((r) => r.map((x) => `${x.step}${x.visit}`).join(' '))

const model = modelOf({ id: 'w', steps: ['each', 'a', 'b', 'in', 'e'].map(step), paths: [contains('each', 'a'), contains('each', 'b'), contains('each', 'in'), contains('in', 'e'), { source: 'a', target: 'b' }] } as never)

it('ties the visits of a body to rounds', () => {
  const history = ran('a a>b a a>b a each')
  expect(words(roundsOf(history, model, 'each', 1))).toEqual(['a1 b1', 'a2 b2', 'a3'])
  expect(roundOf(history, model, history[3])).toEqual({ container: 'each', visit: 1, round: 2 })
  expect(roundOf(history, model, history[5]), 'a step of no container').toBeUndefined()
})

it('keeps the rounds of two visits of a container apart, and knows one that has not ended', () => {
  const history = ran('a a each a each a a')
  expect(words(roundsOf(history, model, 'each', 1))).toEqual(['a1', 'a2'])
  expect(words(roundsOf(history, model, 'each', 2))).toEqual(['a3'])
  expect(words(roundsOf(history, model, 'each', 3)), 'it runs still').toEqual(['a4', 'a5'])
  expect(roundOf(history, model, history[6])).toEqual({ container: 'each', visit: 3, round: 2 })
})

it('takes another attempt, a loop within a round and a container in a container as what they are', () => {
  const history = ran('a a! b>a a>b e e in e in each')
  expect(words(roundsOf(history, model, 'each', 1))).toEqual(['a1 a2 b1 in1', 'in2'])
  expect(roundsOf(history, model, 'each', 1)[0][0].attempt, 'the newest attempt').toBe(2)
  expect(words(roundsOf(history, model, 'in', 1))).toEqual(['e1', 'e2'])
  expect(words(roundsOf(history, model, 'in', 2))).toEqual(['e3'])
})
