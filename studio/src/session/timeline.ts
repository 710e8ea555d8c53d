import type { Execution } from '../api/schema'

/** A bar is one visit on the timeline. */
export interface Bar {
  key: string
  seq?: number
  step: string
  visit: number
  attempt: number
  status: string
  from: number
  to: number
  human: boolean
}

export interface Row {
  step: string
  bars: Bar[]
}

/** An open visit that has no execution yet. */
export interface OpenVisit {
  step: string
  visit: number
  status: string
  from: number
}

/** rowsOf is a row a step, in the order of their first visits. */
export function rowsOf(history: Execution[], open: OpenVisit[], now: number): Row[] {
  const rows = new Map<string, Row>()
  const add = (bar: Bar) => {
    const row = rows.get(bar.step)
    if (row) row.bars.push(bar)
    else rows.set(bar.step, { step: bar.step, bars: [bar] })
  }
  const sorted = [...history].sort((a, b) => Date.parse(a.started_at) - Date.parse(b.started_at) || a.seq - b.seq)
  for (const x of sorted) {
    add({
      key: x.id,
      seq: x.seq,
      step: x.step,
      visit: x.visit,
      attempt: x.attempt,
      status: x.status,
      from: Date.parse(x.started_at),
      to: Date.parse(x.finished_at),
      human: x.status === 'answered',
    })
  }
  for (const o of open) {
    add({ key: `${o.step}/${o.visit}/open`, step: o.step, visit: o.visit, attempt: 1, status: o.status, from: o.from, to: now, human: o.status === 'awaiting_input' })
  }
  return [...rows.values()]
}

/** A piece of the time axis; one that is broken is drawn as narrow as it can be read. */
interface Piece {
  from: number
  to: number
  broken: boolean
  x: number
  width: number
}

export interface Scale {
  width: number
  pieces: Piece[]
  x: (at: number) => number
}

/** Waiting shorter than this share of the rest is drawn as long as it was. */
const WORTH_BREAKING = 0.25
export const BREAK_WIDTH = 44

/**
 * scaleOf maps time to places. Spans in which nothing ran, or only people were waited for,
 * are broken: two days until an answer would leave no room for the 300 ms of work.
 */
export function scaleOf(rows: Row[], width: number): Scale {
  const bars = rows.flatMap((r) => r.bars)
  if (bars.length === 0) return { width, pieces: [], x: () => 0 }
  const start = Math.min(...bars.map((b) => b.from))
  const end = Math.max(...bars.map((b) => b.to), start + 1)
  const busy = spans(bars.filter((b) => !b.human).map((b) => [b.from, b.to]))
  const work = busy.reduce((sum, [a, b]) => sum + (b - a), 0)
  const least = Math.max(1000, work * WORTH_BREAKING)
  const pieces: Piece[] = []
  const push = (from: number, to: number, broken: boolean) => {
    const last = pieces[pieces.length - 1]
    if (last && !last.broken && !broken) last.to = to
    else if (to > from || !broken) pieces.push({ from, to, broken, x: 0, width: 0 })
  }
  let at = start
  for (const [from, to] of [...busy, [end, end] as [number, number]]) {
    if (from > at) push(at, from, from - at > least)
    if (to > Math.max(from, at)) push(Math.max(from, at), to, false)
    at = Math.max(at, to)
  }
  const broken = pieces.filter((p) => p.broken).length
  const rest = pieces.filter((p) => !p.broken).reduce((sum, p) => sum + (p.to - p.from), 0) || 1
  const breakWidth = Math.min(BREAK_WIDTH, (width * 0.5) / Math.max(1, broken))
  const room = rest > 1 || broken === 0 ? width - broken * breakWidth : 0
  let x = 0
  for (const p of pieces) {
    p.x = x
    p.width = p.broken ? (room ? breakWidth : width / broken) : ((p.to - p.from) / rest) * room
    x += p.width
  }
  return { width, pieces, x: (t) => place(pieces, t) }
}

function place(pieces: Piece[], t: number): number {
  for (const p of pieces) {
    if (t <= p.to) return p.x + (p.to > p.from ? (Math.max(0, t - p.from) / (p.to - p.from)) * p.width : 0)
  }
  const last = pieces[pieces.length - 1]
  return last ? last.x + last.width : 0
}

/** spans joins spans that touch. */
function spans(list: [number, number][]): [number, number][] {
  const out: [number, number][] = []
  for (const [from, to] of [...list].sort((a, b) => a[0] - b[0])) {
    const last = out[out.length - 1]
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else out.push([from, to])
  }
  return out
}
