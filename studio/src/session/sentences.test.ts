import { expect, it } from 'vitest'
import { sentencesOf } from './sentences'

it('keeps back what is not finished', () => {
  expect(sentencesOf('It is 3.5 km. Is it far? Not rea')).toEqual(['It is 3.5 km.', 'Is it far?'])
  expect(sentencesOf('One line\nanother')).toEqual(['One line'])
  expect(sentencesOf('Done.')).toEqual([])
  expect(sentencesOf('')).toEqual([])
})
