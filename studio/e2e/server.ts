import { test as base } from '@playwright/test'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const BINARY = resolve(import.meta.dirname, '../../.bin/stepgraph')

/** A Server is the real binary with a store of its own, and calls to its API. */
export interface Server {
  address: string
  /** Sessions of one run are told apart by this: a Neo4j may keep those of an earlier one. */
  mark: string
  /** newToken makes a token with these scopes. */
  newToken: (name: string, scopes: string[]) => string
  /** restart ends the server and starts it again at the same address, with the same store; meanwhile runs between the two. */
  restart: (meanwhile?: () => Promise<void>) => Promise<void>
  call: <T = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<T>
}

/** start starts a server of a test's own; the fixtures share theirs. */
export async function start(token: string): Promise<{ server: Server; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'studio-'))
  const launch = async (at: string) => {
    const args = ['dev', '--addr', at, '-o', 'json', ...(token ? [] : ['--open'])]
    if (process.env.STUDIO_STORE === 'neo4j') args.push('--neo4j')
    if (token) args.push('--token', token)
    const child = spawn(BINARY, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    const errors: string[] = []
    child.stderr.on('data', (d: Buffer) => errors.push(d.toString()))
    const address = await new Promise<string>((done, fail) => {
      createInterface({ input: child.stdout }).once('line', (line) => done((JSON.parse(line) as { address: string }).address))
      child.once('exit', (code) => fail(new Error(`stepgraph ended with ${code}: ${errors.join('')}`)))
    })
    return { child, address }
  }
  const first = await launch('127.0.0.1:0')
  const { address } = first
  let { child } = first
  const call = async <T,>(method: string, path: string, body?: unknown): Promise<T> => {
    const headers: Record<string, string> = { 'Content-Type': 'application/json' }
    if (token) headers.Authorization = `Bearer ${token}`
    const got = await fetch(address + '/api/v1' + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) })
    if (!got.ok) throw new Error(`${method} ${path}: ${got.status} ${await got.text()}`)
    return (got.status === 204 ? undefined : await got.json()) as T
  }
  return {
    server: {
      address,
      mark: 't' + Date.now().toString(36),
      call,
      newToken: (name, scopes) => {
        const made = execFileSync(BINARY, ['token', 'create', name, ...scopes.flatMap((s) => ['--scope', s]), '-o', 'json', ...(process.env.STUDIO_STORE === 'neo4j' ? ['--store', process.env.NEO4J_URI!] : [])], { cwd: folder, encoding: 'utf8' })
        return (JSON.parse(made) as { token: string }).token
      },
      restart: async (meanwhile) => {
        await end(child)
        await meanwhile?.()
        ;({ child } = await launch(new URL(address).host))
      },
    },
    stop: async () => {
      await end(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    child.once('exit', () => done())
    child.kill('SIGTERM')
  })
}

export const test = base.extend<object, { server: Server; locked: Server }>({
  server: [
    async ({}, use) => {
      const { server, stop } = await start('')
      await use(server)
      await stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  locked: [
    async ({}, use) => {
      const { server, stop } = await start('a-token-for-this-test-that-is-long-enough')
      await use(server)
      await stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})

export { expect } from '@playwright/test'

const orderForm = {
  type: 'object',
  required: ['name', 'pieces'],
  properties: { name: { type: 'string', title: 'Your name' }, pieces: { type: 'integer', minimum: 1, maximum: 5 }, urgent: { type: 'boolean', title: 'It is urgent' } },
}

/** order has a form and a condition; an urgent one waits for a value that no step gives in time. */
export const order = {
  description: 'Takes an order with a form; an urgent one stops where a value is missing',
  steps: [
    { id: 'root', name: 'What is wanted?', function: 'utils.request.request', input: { prompt: 'Fill in the order', schema: orderForm } },
    { id: 'check', name: 'Thank', function: 'utils.reply.reply', input: { message: 'Thanks @{SESSION_ID}.root.response.name' } },
    { id: 'ship', name: 'Ship it', function: 'template', input: { template: '@{SESSION_ID}.end.message' } },
    { id: 'end', name: 'Say that it is done', function: 'utils.reply.reply', input: { message: 'It is on its way.' } },
  ],
  paths: [
    { source: 'root', target: 'check' },
    { source: 'check', target: 'ship', condition: '{"true": "@{SESSION_ID}.root.response.urgent"}' },
    { source: 'check', target: 'end', condition: '{"false": "@{SESSION_ID}.root.response.urgent"}' },
  ],
}

/** big is a ladder of so many steps. */
export function big(n: number) {
  const steps: object[] = [{ id: 'root', function: 'variable', input: { value: 1 } }]
  const paths: object[] = []
  for (let i = 1; i < n; i++) {
    steps.push({ id: `s${i}`, name: `Step ${i}`, function: 'template', input: { template: `text ${i}` } })
    paths.push({ source: i === 1 ? 'root' : `s${i - 1}`, target: `s${i}` })
    if (i % 6 === 0 && i + 3 < n) paths.push({ source: `s${i}`, target: `s${i + 3}` })
  }
  return { steps, paths }
}
