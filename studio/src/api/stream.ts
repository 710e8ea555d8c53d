import { Refusal, base, refusalOf, send } from './client'
import { type SentEvent, EventReader } from './sse'

export type Watching = 'connecting' | 'live' | 'waiting' | 'ended'

/**
 * watch follows a session until its end or until stop is called. It reads the stream with
 * fetch, because an EventSource cannot carry a token, and connects again by itself from the
 * last event that had an id.
 */
export function watch(session: string, on: (events: SentEvent[]) => void, state: (s: Watching) => void): () => void {
  const stop = new AbortController()
  let last = ''
  let delay = 500
  const run = async () => {
    while (!stop.signal.aborted) {
      state('connecting')
      try {
        const done = await read()
        if (done) return state('ended')
        delay = 500
      } catch (error) {
        if (stop.signal.aborted) return
        if (error instanceof Refusal && error.status < 500 && error.status !== 429) return state('ended')
      }
      if (stop.signal.aborted) return
      state('waiting')
      await new Promise((resolve) => setTimeout(resolve, delay))
      delay = Math.min(delay * 2, 8000)
    }
  }
  const read = async (): Promise<boolean> => {
    const headers: Record<string, string> = { Accept: 'text/event-stream' }
    if (last) headers['Last-Event-ID'] = last
    const response = await send(`${base}/api/v1/sessions/${encodeURIComponent(session)}/events`, { headers, signal: stop.signal })
    if (!response.ok || !response.body) throw await refusalOf(response)
    state('live')
    const reader = new EventReader()
    const body = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { value, done } = await body.read()
      if (done) return false
      const events = reader.feed(value)
      if (events.length === 0) continue
      for (const e of events) if (e.id) last = e.id
      on(events)
      if (events.some((e) => e.type === 'end')) return true
    }
  }
  void run()
  return () => stop.abort()
}
