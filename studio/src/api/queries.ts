import { QueryClient, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { Refusal, api } from './client'
import type { Counts, Execution, Explanation, Question } from './schema'

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always', // the server may be on this machine; what the browser calls offline says nothing
      staleTime: 2000,
      retry: (times, error) => !(error instanceof Refusal && error.status < 500) && times < 3,
      retryDelay: (n) => Math.min(1000 * 2 ** n, 8000),
    },
  },
})

/** ok takes the data out of an answer; refusals were thrown before. */
export function ok<T>(answer: { data?: T }): T {
  return answer.data as T
}

export const workflowsQuery = queryOptions({
  queryKey: ['workflows'],
  queryFn: async ({ signal }) => ok(await api.GET('/api/v1/workflows', { params: { query: { limit: 500 } }, signal })).items,
})

/** addCounts adds the counts of the sessions that an answer has not looked at to it. */
export function addCounts(sum: Counts | undefined, more: Counts): Counts {
  if (!sum) return more
  const counts = { ...sum.counts }
  for (const [name, n] of Object.entries(more.counts)) counts[name] = (counts[name] ?? 0) + n
  return { ...more, counts, total: sum.total + more.total, looked: (sum.looked ?? 0) + (more.looked ?? 0) }
}

export const countsQuery = (by: 'status' | 'workflow' | 'workflow,status' | 'step', filter: object = {}) =>
  queryOptions({
    queryKey: ['counts', by, filter],
    queryFn: async ({ client, queryKey, signal }) => {
      const shown = client.getQueryData<Counts>(queryKey)
      let sum: Counts | undefined
      do {
        const more: Counts = ok(await api.GET('/api/v1/sessions/count', { params: { query: { ...filter, by, cursor: sum?.next } }, signal }))
        sum = addCounts(sum, more)
        if (sum.next && !shown) client.setQueryData(queryKey, sum)
      } while (sum.next)
      return sum
    },
    refetchInterval: (q) => (q.state.data?.looked ? false : 10_000), // one that is searched for takes seconds of the server
    placeholderData: keepPreviousData,
  })

/** What shows how many sessions stand where; it is read again at most so often, in milliseconds. */
const STANDING = [['counts'], ['awaiting'], ['stats']]
const APART = 400
let refreshing: ReturnType<typeof setTimeout> | undefined
let again = false

/** refreshStanding reads what counts sessions again: now, and once more if it was called meanwhile. */
export function refreshStanding() {
  if (refreshing) {
    again = true
    return
  }
  again = false
  for (const queryKey of STANDING) void client.invalidateQueries({ queryKey })
  refreshing = setTimeout(() => {
    refreshing = undefined
    if (again) refreshStanding()
  }, APART)
}

/** A workflow of more steps takes long to read and to compare. */
const LARGE = 150

export const workflowQuery = (workflow: string) =>
  queryOptions({
    queryKey: ['workflow', workflow],
    queryFn: async ({ signal }) => ok(await api.GET('/api/v1/workflows/{workflow}', { params: { path: { workflow } }, signal })),
    // Another editor may change the graph, Neo4j Browser above all; a large graph is read less often.
    refetchInterval: (query) => ((query.state.data?.steps?.length ?? 0) > LARGE ? 15_000 : 4_000),
  })

/** logQuery is what the steps of a workflow have been. */
export const logQuery = (workflow: string) =>
  queryOptions({
    queryKey: ['log', workflow],
    queryFn: async ({ signal }) => ok(await api.GET('/api/v1/workflows/{workflow}/log', { params: { path: { workflow } }, signal })).items,
    retry: false,
  })

/** stepDiffQuery is what differs between a text that a step has had and the step as it is now; version is that of the workflow. */
export const stepDiffQuery = (workflow: string, step: string, from: string, version: object) =>
  queryOptions({
    queryKey: ['step diff', workflow, step, from, version],
    queryFn: async ({ signal }) => ok(await api.GET('/api/v1/workflows/{workflow}/steps/{step}/diff', { params: { path: { workflow, step }, query: { from } }, signal })).items,
    retry: false,
  })

export const statsQuery = (workflow: string) =>
  queryOptions({
    queryKey: ['stats', workflow],
    queryFn: async ({ signal }) => ok(await api.GET('/api/v1/workflows/{workflow}/stats', { params: { path: { workflow } }, signal })),
    refetchInterval: 5000,
  })

export const functionsQuery = queryOptions({
  queryKey: ['functions'],
  queryFn: async ({ signal }) => ok(await api.GET('/api/v1/functions', { signal })).items,
  staleTime: 60_000,
})

export const serverQuery = queryOptions({
  queryKey: ['server'],
  queryFn: async ({ signal }) => ok(await api.GET('/api/v1/server', { signal })),
  staleTime: Infinity,
})

/** How many of a workflow's newest sessions can be chosen where one of the past is wanted. */
const CHOICE = 25

export const newestQuery = (workflow: string) =>
  queryOptions({
    queryKey: ['sessions', 'newest', workflow],
    queryFn: async ({ signal }) => ok(await api.GET('/api/v1/sessions', { params: { query: { workflow, limit: CHOICE } }, signal })).items,
  })

/** evalQuery is what a condition comes to with the values that a session has now. */
export const evalQuery = (session: string | undefined, condition: unknown, operator: string | undefined) =>
  queryOptions({
    queryKey: ['eval', session, condition, operator],
    queryFn: async ({ signal }) => ok(await api.POST('/api/v1/eval/condition', { body: { condition, operator, session }, signal })),
  })

export const sessionQuery = (session: string) =>
  queryOptions({
    queryKey: ['session', session],
    queryFn: async ({ signal }) => ok(await api.GET('/api/v1/sessions/{session}', { params: { path: { session } }, signal })),
  })

export interface Stated {
  text: string
  version: string
}

export const stateQuery = (session: string) =>
  queryOptions({
    queryKey: ['state', session],
    queryFn: async ({ signal }): Promise<Stated> => {
      const got = await api.GET('/api/v1/sessions/{session}/state', { params: { path: { session } }, signal, parseAs: 'text' })
      return { text: got.data as unknown as string, version: got.response.headers.get('ETag') ?? '' }
    },
  })

/** History is read at most so far back at once; the page says when there is more. */
export const HISTORY_PAGE = 500
export const HISTORY_MOST = 5000

export async function readExecutions(session: string, signal?: AbortSignal): Promise<Execution[]> {
  const all: Execution[] = []
  let cursor: string | undefined
  do {
    const page = ok(
      await api.GET('/api/v1/sessions/{session}/executions', { params: { path: { session }, query: { limit: HISTORY_PAGE, cursor } }, signal }),
    )
    all.push(...page.items)
    cursor = page.next
  } while (cursor && all.length < HISTORY_MOST)
  return all
}

/** readNewest reads what a session ran after a number that is known. */
export async function readNewest(session: string, after: number): Promise<Execution[]> {
  const all: Execution[] = []
  let cursor: string | undefined
  do {
    const page = ok(
      await api.GET('/api/v1/sessions/{session}/executions', { params: { path: { session }, query: { limit: 100, cursor, newest: true } } }),
    )
    all.push(...page.items.filter((x) => x.seq > after))
    cursor = page.items.length && page.items[0].seq > after + 1 ? page.next : undefined
  } while (cursor)
  return all
}

/** readDocument is all there is of a session, as lines; large values stand in it whole. */
export async function readDocument(session: string): Promise<string> {
  const got = await api.GET('/api/v1/sessions/{session}/document', { params: { path: { session } }, parseAs: 'text' })
  return got.data as unknown as string
}

export const explainQuery = (session: string) =>
  queryOptions({
    queryKey: ['explain', session],
    queryFn: async ({ signal }) =>
      ok(await api.GET('/api/v1/sessions/{session}/explain', { params: { path: { session } }, headers: { Accept: 'application/json' }, signal })) as Explanation,
  })

export const requestsQuery = (session: string) =>
  queryOptions({
    queryKey: ['requests', session],
    queryFn: async ({ signal }) =>
      ok(await api.GET('/api/v1/sessions/{session}/requests', { params: { path: { session }, query: { limit: 200, newest: true } }, signal })).items,
  })

export const batchQuery = (batch: string) =>
  queryOptions({
    queryKey: ['batch', batch],
    queryFn: async ({ signal }) => ok(await api.GET('/api/v1/batches/{batch}', { params: { path: { batch } }, signal })),
    refetchInterval: (q) => (q.state.data?.status === 'running' ? 500 : false),
  })

/** An approval's question shows what is to be approved. */
export type Ask = Question

/** questionKey names a question; an answer to it carries this as its target. */
export function questionKey(q: Question): string {
  return `${q.session ?? ''}/${q.step}/${q.visit}/${q.ask}`
}
