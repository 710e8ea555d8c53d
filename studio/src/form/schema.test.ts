import { describe, expect, it } from 'vitest'
import { fieldOf, fieldsOf, guess, read, readAll } from './schema'

describe('fieldsOf', () => {
  const fields = fieldsOf({
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', title: 'Your name' },
      pieces: { type: 'integer', minimum: 1, maximum: 5 },
      colour: { enum: ['red', 3] },
      urgent: { type: 'boolean' },
      on_day: { type: 'string', format: 'date' },
      more: { type: 'array' },
    },
  })!
  it('has a control for each type', () => {
    expect(fields.map((f) => [f.label, f.control, f.required])).toEqual([
      ['Your name', 'text', true],
      ['Pieces', 'integer', false],
      ['Colour', 'choice', false],
      ['Urgent', 'switch', false],
      ['On day', 'date', false],
      ['More', 'json', false],
    ])
    expect(fields[1].help).toBe('From 1 to 5.')
  })
  it('reads what was typed, with types', () => {
    expect(readAll(fields, { name: 'Ada', pieces: '3', colour: '3', urgent: true, more: '[1]' })).toEqual({
      value: { name: 'Ada', pieces: 3, colour: 3, urgent: true, more: [1] },
      faults: {},
    })
  })
  it('says what is wrong at the field', () => {
    expect(readAll(fields, { name: ' ', pieces: '11', more: '[1' }).faults).toEqual({
      name: 'Fill this in.',
      pieces: 'From 1 to 5.',
      more: expect.stringContaining('not valid JSON'),
    })
    expect(readAll(fields, { name: 'x', pieces: '1.5' }).faults).toEqual({ pieces: 'Give a whole number.' })
  })
  it('is nothing for what has no fields', () => {
    expect(fieldsOf({ type: 'string' })).toBeUndefined()
    expect(fieldsOf({ type: 'object' })).toBeUndefined()
  })
})

describe('read', () => {
  it('takes plain words where any JSON is allowed', () => {
    expect(read(fieldOf('', {}, true), 'hello')).toEqual({ value: 'hello' })
    expect(read(fieldOf('', {}, true), '{"a":1}')).toEqual({ value: { a: 1 } })
  })
  it('judges length and pattern', () => {
    expect(read(fieldOf('', { type: 'string', minLength: 3 }, true), 'ab')).toHaveProperty('fault')
    expect(read(fieldOf('', { type: 'string', pattern: '^[0-9]+$' }, true), 'ab')).toHaveProperty('fault')
    expect(read(fieldOf('', { type: 'string', pattern: '(' }, true), 'ab')).toEqual({ value: 'ab' })
  })
})

it('guess makes fields of a value', () => {
  expect(fieldsOf(guess({ to: 'all', n: 2, on: true, list: [1] }))!.map((f) => [f.label, f.control])).toEqual([
    ['to', 'text'], ['n', 'number'], ['on', 'switch'], ['list', 'json'],
  ])
})
