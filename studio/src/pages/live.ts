import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { onActed } from '../api/actions'
import { isMissing } from '../api/client'
import { readExecutions, readNewest, refreshStanding, sessionQuery, stateQuery } from '../api/queries'
import type { Execution, Message, Question, Session } from '../api/schema'
import type { SentEvent } from '../api/sse'
import { type Watching, watch } from '../api/stream'
import { type StateText, type StepStatus, merge } from '../session/run'

/** A text that a step is still writing. */
export interface Partial {
  key: string
  step: string
  visit: number
  text: string
  person: boolean
}

export interface Live {
  session?: Session
  messages: Message[]
  history: Execution[]
  state?: StateText
  /** Newer than state: what events have said of steps since. */
  steps: Record<string, { status: StepStatus; visit: number; at: number }>
  partial: Partial[]
  watching: Watching
  error?: unknown
  loaded: boolean
  /** Somebody removed the session while its page was open. */
  gone?: boolean
}

const start: Live = { messages: [], history: [], steps: {}, partial: [], watching: 'connecting', loaded: false }

/** How long events gather before they are painted; a page in the background takes its time. */
const GATHER = 50
const GATHER_HIDDEN = 1000
/** How often a session that has ended is looked at: a retry or a rollback of somebody else takes it on. */
const LOOK = 10_000

/**
 * useLive reads a session and follows it. It reads first and follows second: what only lives
 * in the stream would be gone after a reload. History is read again at most four times a
 * second while things happen.
 */
export function useLive(id: string): Live {
  const [live, setLive] = useState<Live>(start)
  const client = useQueryClient()
  const known = useRef<Live>(start)
  useEffect(() => {
    let stopped = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let reading: ReturnType<typeof setTimeout> | undefined
    let queue: SentEvent[] = []
    const put = (next: Live) => {
      if (stopped) return
      known.current = next
      setLive(next)
    }
    const flush = () => {
      timer = undefined
      const events = queue
      queue = []
      put(events.reduce(apply, known.current))
      if (events.some((e) => e.type === 'session' || e.type === 'end')) refreshStanding()
      if (events.some((e) => e.type !== 'token')) later(events.some((e) => e.type === 'end'))
    }
    const later = (now: boolean) => {
      if (reading && !now) return
      clearTimeout(reading)
      reading = setTimeout(() => void read(), now ? 0 : 250)
    }
    const read = async () => {
      reading = undefined
      try {
        const last = known.current.history.at(-1)?.seq ?? 0
        const [more, state] = await Promise.all([last ? readNewest(id, last) : readExecutions(id), readState()])
        put({ ...known.current, history: merge(known.current.history, more), ...state, error: undefined })
      } catch (error) {
        put({ ...known.current, error })
      }
    }
    const readState = async (): Promise<{ state?: StateText; steps: Live['steps'] }> => {
      const before = Date.now()
      const { text } = await client.fetchQuery({ ...stateQuery(id), staleTime: 0 })
      const steps = Object.fromEntries(Object.entries(known.current.steps).filter(([, s]) => s.at > before))
      try {
        return { state: JSON.parse(text) as StateText, steps }
      } catch {
        return { steps }
      }
    }
    known.current = start
    setLive(start)
    let end = () => {}
    let looking: ReturnType<typeof setInterval> | undefined
    const follow = () => {
      clearInterval(looking)
      end()
      end = watch(
        id,
        (events) => {
          queue.push(...events)
          timer ??= setTimeout(flush, document.hidden ? GATHER_HIDDEN : GATHER)
        },
        (watching) => {
          put({ ...known.current, watching })
          if (watching === 'ended' && !stopped) looking = setInterval(() => void look(), LOOK)
        },
      )
    }
    /** look follows a session again that had ended and was taken on by somebody else. */
    const look = async () => {
      if (document.hidden) return
      const now = await client.fetchQuery({ ...sessionQuery(id), staleTime: 0 }).catch((error: unknown) => {
        if (!isMissing(error)) return undefined
        clearInterval(looking)
        put({ ...known.current, gone: true })
      })
      if (now && now.version !== known.current.session?.version && !stopped) follow()
    }
    const forget = onActed((session) => session === id && known.current.loaded && known.current.watching === 'ended' && follow())
    void Promise.all([client.fetchQuery({ ...sessionQuery(id), staleTime: 0 }), readExecutions(id), readState()])
      .then(([session, history, state]) => {
        put({ ...known.current, session, messages: session.messages, history, ...state, loaded: true })
        if (stopped) return
        follow()
      })
      .catch((error: unknown) => put({ ...known.current, error, loaded: true }))
    return () => {
      stopped = true
      forget()
      clearInterval(looking)
      end()
      clearTimeout(timer)
      clearTimeout(reading)
    }
  }, [id, client])
  return live
}

/** apply is what one event changes. */
export function apply(live: Live, e: SentEvent): Live {
  const data = JSON.parse(e.data) as Record<string, unknown>
  switch (e.type) {
    case 'snapshot': {
      const session = data as unknown as Session
      return { ...live, session, messages: withAll(live.messages, session.messages), partial: [] }
    }
    case 'message': {
      const m = data as unknown as Message
      return { ...live, messages: withAll(live.messages, [m]), partial: m.role === 'assistant' ? live.partial.filter((p) => p.step !== m.step) : live.partial }
    }
    case 'token':
      return { ...live, partial: write(live.partial, data as unknown as Token) }
    case 'step': {
      const s = data as { step: string; visit: number; status: string }
      const steps = { ...live.steps, [s.step]: { status: s.status as StepStatus, visit: s.visit, at: Date.now() } }
      return { ...live, steps, partial: s.status === 'active' ? live.partial : live.partial.filter((p) => p.step !== s.step) }
    }
    case 'session':
    case 'end': {
      if (!live.session) return live
      const s = data as { status: Session['status']; awaiting?: Question[] }
      return { ...live, session: { ...live.session, status: s.status, awaiting: s.awaiting ?? [], updated_at: new Date().toISOString() }, partial: e.type === 'end' ? [] : live.partial }
    }
  }
  return live
}

interface Token {
  step: string
  visit: number
  call: number
  text: string
  audience?: 'person' | 'internal'
}

function write(list: Partial[], t: Token): Partial[] {
  const key = `${t.step}/${t.visit}/${t.call}`
  const old = list.find((p) => p.key === key)
  if (!old) return [...list, { key, step: t.step, visit: t.visit, text: t.text, person: t.audience !== 'internal' }]
  return list.map((p) => (p === old ? { ...p, text: p.text + t.text } : p))
}

function withAll(known: Message[], more: Message[]): Message[] {
  const seen = new Set(known.map((m) => m.id))
  const fresh = more.filter((m) => !seen.has(m.id))
  if (fresh.length === 0) return known
  const number = (m: Message) => Number(m.id.slice(m.id.lastIndexOf('/') + 1)) || 0
  return [...known, ...fresh].sort((a, b) => number(a) - number(b))
}

/** useNow is the time, once a second while something runs. */
export function useNow(running: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!running) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [running])
  return useMemo(() => (running ? Math.max(now, Date.now() - 1000) : Date.now()), [now, running])
}
