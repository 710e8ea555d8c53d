import createClient from 'openapi-fetch'
import { useAuth } from './auth'
import { useLink } from './link'
import type { paths } from './schema'

/** Where the API is: below wherever this page is. */
export const base = new URL('.', document.baseURI).href.replace(/\/$/, '')

export interface Fault {
  pointer?: string
  parameter?: string
  step?: string
  path?: string
  line?: number
  column?: number
  message: string
}

/** What the server refused, in its words. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly kind: string,
    title: string,
    readonly detail: string,
    readonly faults: Fault[],
  ) {
    super(detail || faults.map((f) => f.message).join('; ') || title)
  }
}

/** isMissing reports whether the server has no such thing, or no longer. */
export const isMissing = (error: unknown): boolean => error instanceof Refusal && error.status === 404

/** The server did not answer. */
export class Offline extends Error {
  constructor() {
    super('The server cannot be reached.')
  }
}

export async function send(input: Request | string, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init)
  const token = useAuth.getState().token
  if (token) request.headers.set('Authorization', `Bearer ${token}`)
  let response: Response
  try {
    response = await fetch(request)
  } catch (error) {
    if (request.signal.aborted) throw error
    useLink.getState().lost()
    throw new Offline()
  }
  if (response.status === 502 || response.status === 503 || response.status === 504) useLink.getState().lost()
  else useLink.getState().reached()
  if (response.status === 401) useAuth.getState().refuse()
  return response
}

export async function refusalOf(response: Response): Promise<Refusal> {
  const body = (await response.json().catch(() => ({}))) as {
    type?: string
    title?: string
    detail?: string
    errors?: Fault[]
  }
  const kind = body.type?.split('/').pop() ?? ''
  return new Refusal(response.status, kind, body.title ?? `Status ${response.status}`, body.detail ?? '', body.errors ?? [])
}

export const api = createClient<paths>({ baseUrl: base, fetch: (request) => send(request) })

api.use({
  onRequest({ request }) {
    if (request.method === 'POST' && !request.headers.has('Idempotency-Key')) {
      request.headers.set('Idempotency-Key', newKey())
    }
    return request
  },
  async onResponse({ response }) {
    if (!response.ok) throw await refusalOf(response)
    return response
  },
})

/** newKey is an idempotency key; pages that are not served over TLS have no randomUUID. */
export function newKey(): string {
  if (isSecureContext) return crypto.randomUUID()
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`
}

/**
 * SentKey keeps the idempotency key of what was sent for as long as the server has not refused it: sent again,
 * because the reply was lost, it is the same request. Another body has another key.
 */
export class SentKey {
  private sent?: { key: string; text: string }

  of(body: unknown): string {
    const text = JSON.stringify(body)
    if (this.sent?.text !== text) this.sent = { key: newKey(), text }
    return this.sent!.key
  }

  /** after forgets the key where the server has refused; a lost reply and a server that is down keep it. */
  after(error: unknown) {
    if (error instanceof Refusal && error.status < 500) this.sent = undefined
  }
}
