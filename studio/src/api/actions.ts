import { api } from './client'
import { ok, questionKey, refreshStanding } from './queries'
import type { BatchFilter, BatchItem, Question, Session, StartBody } from './schema'

/** What a person can do to sessions. Each call refreshes what shows its effect. */

export async function start(body: StartBody, key: string): Promise<Session> {
  const session = ok(await api.POST('/api/v1/sessions', { body, headers: { 'Idempotency-Key': key } }))
  refreshStanding()
  return session
}

/** answer sends an answer under a key of the question's own, so that a second click is the same answer. */
export async function answer(session: string, q: Question, response: unknown, key: string): Promise<Session> {
  const answered = ok(
    await api.POST('/api/v1/sessions/{session}/answer', {
      params: { path: { session } },
      headers: { 'Idempotency-Key': key },
      body: { step: q.step, visit: q.visit, ask: q.ask, response },
    }),
  )
  void refreshOnceTaken(session, q)
  return answered
}

/** An accepted answer is taken up by the engine a moment later, and only then counts differ. */
const LOOKS = [0, 60, 150, 400, 1000, 2500]

async function refreshOnceTaken(session: string, q: Question) {
  try {
    for (const delay of LOOKS) {
      await new Promise((resolve) => setTimeout(resolve, delay))
      const now = ok(await api.GET('/api/v1/sessions/{session}', { params: { path: { session } } }))
      if (!now.awaiting.some((a) => !a.answered && questionKey({ ...a, session: a.session ?? session }) === questionKey({ ...q, session: q.session ?? session }))) break
    }
  } catch {
    // the lists read themselves again anyway
  }
  refreshStanding()
}

export async function signal(session: string, name: string, body: unknown): Promise<Session> {
  return ok(await api.POST('/api/v1/sessions/{session}/signal', { params: { path: { session } }, body: { name, ...(body === undefined ? {} : { body }) } }))
}

/** jsonOrText reads JSON where there is some; everything else is a text. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export type Action = 'resume' | 'pause' | 'cancel' | 'retry' | 'advance' | 'move' | 'reask' | 'rollback'

export interface ActionOptions {
  step?: string
  visit?: number
  to?: string
  reason?: string
  new_key?: boolean
}

const listeners = new Set<(session: string) => void>()

/** onActed calls back after each action on a session; what it returns ends that. */
export function onActed(back: (session: string) => void): () => void {
  listeners.add(back)
  return () => listeners.delete(back)
}

export async function act(session: string, action: Action, o: ActionOptions): Promise<Session> {
  const after = await send(session, action, o)
  for (const back of listeners) back(session)
  return after
}

async function send(session: string, action: Action, o: ActionOptions): Promise<Session> {
  const params = { path: { session } }
  switch (action) {
    case 'move':
      return ok(await api.POST('/api/v1/sessions/{session}/move', { params, body: { from: o.step || undefined, to: o.to ?? '' } }))
    case 'advance':
      return ok(await api.POST('/api/v1/sessions/{session}/advance', { params, body: { step: o.step ?? '' } }))
    case 'retry':
      return ok(await api.POST('/api/v1/sessions/{session}/retry', { params, body: { step: o.step || undefined, new_key: o.new_key || undefined } }))
    case 'reask':
      return ok(await api.POST('/api/v1/sessions/{session}/reask', { params, body: { step: o.step || undefined } }))
    case 'rollback':
      return ok(await api.POST('/api/v1/sessions/{session}/rollback', { params, body: { step: o.step ?? '', visit: o.visit } }))
    case 'pause':
      return ok(await api.POST('/api/v1/sessions/{session}/pause', { params, body: { reason: o.reason || undefined } }))
    case 'resume':
      return ok(await api.POST('/api/v1/sessions/{session}/resume', { params, body: { reason: o.reason || undefined } }))
    case 'cancel':
      return ok(await api.POST('/api/v1/sessions/{session}/cancel', { params, body: { reason: o.reason || undefined } }))
  }
}

export type BatchAction = Action | 'answer' | 'delete'

export interface BatchOptions extends ActionOptions {
  response?: unknown
  rate?: number
  first?: number
  stop_after_failures?: number
  cancel?: boolean
}

export interface Chosen {
  filter?: BatchFilter
  items?: BatchItem[]
}

export async function batch(action: BatchAction, chosen: Chosen, o: BatchOptions, dryRun: boolean): Promise<string> {
  const { cancel, ...rest } = o
  const body = { action, ...chosen, ...rest, ...(action === 'delete' && cancel ? { cancel } : {}), ...(dryRun ? { dry_run: true } : {}) }
  return ok(await api.POST('/api/v1/batches', { body })).id
}

export async function resultsOf(id: string, failed?: boolean): Promise<BatchItem[]> {
  const got = await api.GET('/api/v1/batches/{batch}/results', {
    params: { path: { batch: id }, query: failed === undefined ? {} : { failed } },
    parseAs: 'text',
  })
  return linesOf(got.data as unknown as string)
}

export function linesOf(text: string): BatchItem[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as BatchItem)
}

/** What a session would do, as a dry run says. */
export interface Forecast {
  status: string
  outcome?: string
  steps: { step: string; visit: number; status: string }[]
  calls?: { step: string; function: string; input: unknown }[]
  awaiting?: Question[]
  problems?: { step: string; message: string }[]
}

/** preview dry-runs one action on one session and takes the batch away that did it. */
export async function preview(session: string, action: BatchAction, o: BatchOptions): Promise<{ would?: Forecast; error?: string }> {
  const id = await batch(action, { items: [{ session, ...(o.step ? { step: o.step } : {}) }] }, o, true)
  for (let i = 0; i < 100; i++) {
    const b = ok(await api.GET('/api/v1/batches/{batch}', { params: { path: { batch: id } } }))
    if (b.status !== 'running') break
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  const [item] = await resultsOf(id)
  void api.DELETE('/api/v1/batches/{batch}', { params: { path: { batch: id } } }).catch(() => undefined)
  return { would: item?.would as Forecast | undefined, error: item?.error }
}
