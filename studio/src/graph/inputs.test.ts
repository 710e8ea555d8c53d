import { expect, it } from 'vitest'
import { inputsOf } from './inputs'

it('finds what no step puts out', () => {
  const got = inputsOf({
    steps: [
      { id: 'root', input: '{"message": "Hi @{SESSION_ID}.initial.name|you and @{SESSION_ID}.city.text"}' },
      { id: 'b', input: { message: '@{SESSION_ID}.root.x @{SESSION_ID}.vars.token' } },
    ],
    paths: [{ source: 'root', target: 'b', condition: [{ true: '@{SESSION_ID}.urgent' }] as never }],
  })
  expect(got).toEqual([{ name: 'name', initial: 'you' }, { name: 'city', initial: undefined }, { name: 'urgent', initial: undefined }])
})
