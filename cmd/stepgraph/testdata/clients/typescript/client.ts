// Uses the types that openapi-typescript has made, as a program would: client.js ADDRESS TOKEN FLOW.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import createClient from 'openapi-fetch'
import type { paths } from './made.js'

const [address, token, flow] = process.argv.slice(2)
const api = createClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${token}` } })

const imported = await api.POST('/api/v1/workflows/import', {
  params: { query: { name: 'flow.json' } },
  body: readFileSync(flow!, 'utf8'),
  bodySerializer: (text) => text,
  headers: { 'Content-Type': 'application/octet-stream' },
})
assert.deepEqual(imported.data?.workflows.map((w) => w.workflow), ['client'])
const file = await api.GET('/api/v1/workflows/{workflow}/export', { params: { path: { workflow: 'client' }, query: { format: 'yaml' } }, parseAs: 'text' })
assert.match(file.data!, /id: client/)

const started = await api.POST('/api/v1/sessions', { params: { query: { wait: '10s' }, header: { 'Idempotency-Key': 'ts-1' } }, body: { workflow: 'client', id: 'ts-1' } })
assert.equal(started.data?.status, 'awaiting_input')
assert.equal(started.data?.awaiting[0]?.prompt, 'How many?')

const at = { path: { session: 'ts-1' }, query: { wait: '10s' } }
const refused = await api.POST('/api/v1/sessions/{session}/answer', { params: at, body: { response: 'none' } })
assert.equal(refused.response.status, 422)
assert.equal(refused.error?.errors?.[0]?.pointer, '/response')
const answered = await api.POST('/api/v1/sessions/{session}/answer', { params: at, body: { response: 3 } })
assert.equal(answered.data?.status, 'complete')
const messages = await api.GET('/api/v1/sessions/{session}/messages', { params: { path: { session: 'ts-1' } } })
assert.equal(messages.data?.items.at(-1)?.content, '3 it is.')

const edited = await api.PATCH('/api/v1/workflows/{workflow}/steps/{step}', { params: { path: { workflow: 'client', step: 'end' } }, body: { name: 'Ends' } })
assert.equal(edited.data?.step.name, 'Ends')
assert.equal(edited.data?.affected.at_step, 0)

await api.POST('/api/v1/sessions', { params: { query: { wait: '10s' } }, body: { workflow: 'client', id: 'ts-2' } })
const batch = await api.POST('/api/v1/batches', { body: { action: 'answer', filter: { workflow: 'client' }, response: 5 } })
const results = await api.GET('/api/v1/batches/{batch}/results', { params: { path: { batch: batch.data!.id } }, parseAs: 'text' })
assert.deepEqual(results.data!.trim().split('\n').map((line) => JSON.parse(line).outcome), ['done'])

const missing = await api.GET('/api/v1/sessions/{session}', { params: { path: { session: 'nothing' } } })
assert.equal(missing.error?.type, '/problems/session_not_found')
console.log('done')
