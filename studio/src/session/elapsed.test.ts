import { describe, expect, it } from 'vitest'
import { elapsedOf } from './elapsed'

const at = (ms: number) => new Date(1_000_000 + ms).toISOString()
const now = 1_000_000 + 86_000

describe('elapsedOf', () => {
  it('counts to the last visit of a session that ended, whatever touched its record later', () => {
    const s = { status: 'complete' as const, created_at: at(0), updated_at: at(80_000), awaiting: [] }
    expect(elapsedOf(s, [{ finished_at: at(100) }, { finished_at: at(172) }], now)).toMatchObject({ what: 'took', ms: 172 })
    expect(elapsedOf(s, [], now)).toMatchObject({ what: 'took', ms: 80_000 })
  })
  it('says of one that waits how long it waits', () => {
    const awaiting = [{ since: at(6_000) }, { since: at(26_000) }] as never
    expect(elapsedOf({ status: 'awaiting_input', created_at: at(0), updated_at: at(0), awaiting }, [], now)).toEqual({ what: 'waiting for', ms: 80_000 })
  })
  it('says of the others how long they are there', () => {
    expect(elapsedOf({ status: 'active', created_at: at(0), updated_at: at(0), awaiting: [] }, [], now)).toEqual({ what: 'for', ms: 86_000 })
  })
})
