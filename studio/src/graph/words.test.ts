import { describe, expect, it } from 'vitest'
import { conditionWords, cut, kindWords, shorten, useful } from './words'

describe('conditionWords', () => {
  const cases: [unknown, string | undefined, string | undefined, string][] = [
    [undefined, undefined, undefined, ''],
    ['', undefined, undefined, ''],
    [[], 'AND', undefined, ''],
    [[], 'OR', undefined, 'never'],
    ['@{SESSION_ID}.ask.ok', undefined, undefined, 'ask.ok'],
    ['@{SESSION_ID}.ask.ok', undefined, 'ask', 'ok'],
    ['{"true": "@{SESSION_ID}.a.b"}', undefined, undefined, 'a.b'],
    ['{"false": "@{SESSION_ID}.a.b"}', undefined, undefined, 'not a.b'],
    ['[{"true": "@{SESSION_ID}.a.b"}, {"false": "@{SESSION_ID}.c.d"}]', 'OR', undefined, 'a.b or not c.d'],
    ['{"operator": "OR", "true": ["@{SESSION_ID}.a.x", "@{SESSION_ID}.a.y"], "false": "@{SESSION_ID}.b.z"}', undefined, undefined, 'a.x or a.y or not b.z'],
    ['["@{SESSION_ID}.a.x", {"operator": "OR", "true": "@{SESSION_ID}.b.y", "false": "@{SESSION_ID}.b.z"}]', 'AND', undefined, 'a.x and (b.y or not b.z)'],
    [{ when: "@{SESSION_ID}.s.score >= 3 and @{SESSION_ID}.s.name == 'x'" }, undefined, 's', "score ≥ 3 and name is 'x'"],
    ['when @{SESSION_ID}.score.value >= 3', undefined, undefined, 'score.value ≥ 3'],
    [{ when: "@{SESSION_ID}.a.text != 'a == b'" }, undefined, undefined, "a.text is not 'a == b'"],
    ['{"false": {"when": "@{SESSION_ID}.a.n > 1"}}', undefined, undefined, 'not (a.n > 1)'],
    ['{not json', undefined, undefined, '{not json'],
  ]
  it.each(cases)('%j %s %s', (condition, operator, source, want) => {
    expect(conditionWords(condition, operator, source)).toBe(want)
  })
})

describe('texts', () => {
  it('shortens references and keeps everything else', () => {
    expect(shorten('Hi @{SESSION_ID}.ask[0].name, you are @{SESSION_ID}')).toBe('Hi ask[0].name, you are session id')
  })
  it('picks the field that says most', () => {
    expect(useful('{"options": [1], "prompt": "Name of @{SESSION_ID}.a.b?"}')).toBe('Name of a.b?')
    expect(useful('{"other": 3}')).toBe('other: 3')
    expect(useful('not json')).toBe('not json')
    expect(useful(undefined)).toBe('')
  })
  it('names functions', () => {
    expect(kindWords('utils.request.request')).toBe('Ask a person')
    expect(kindWords('shop.order')).toBe('shop.order')
    expect(kindWords(undefined)).toBe('No function')
  })
  it('cuts at a length', () => {
    expect(cut('a  b\nc', 10)).toBe('a b c')
    expect(cut('abcdefghij', 5)).toBe('abcd…')
  })
})
