import type { Execution, Session } from '../api/schema'

const ENDED = ['complete', 'error', 'cancelled']

/**
 * elapsedOf is what the clock of a session shows: of one that has ended the time from its start
 * to its last visit, of one that waits how long it waits, else how long it runs. What came to
 * a session after its end changes its record, so updated_at is only the last resort.
 */
export function elapsedOf(session: Pick<Session, 'status' | 'created_at' | 'updated_at' | 'awaiting'>, history: Pick<Execution, 'finished_at'>[], now: number): { what: 'took' | 'waiting for' | 'for'; ms: number; end?: number } {
  const start = Date.parse(session.created_at)
  if (ENDED.includes(session.status)) {
    const end = history.length ? Math.max(...history.map((x) => Date.parse(x.finished_at))) : Date.parse(session.updated_at)
    return { what: 'took', ms: Math.max(0, end - start), end }
  }
  if (session.status === 'awaiting_input' && session.awaiting.length > 0) {
    return { what: 'waiting for', ms: now - Math.min(...session.awaiting.map((q) => Date.parse(q.since))) }
  }
  return { what: 'for', ms: now - start }
}
