import { expect, test } from './server'

/** See speed.spec.ts: what a busy machine changes is printed, and asserted with STUDIO_BUDGET=1. */
const BUDGET = process.env.STUDIO_BUDGET === '1'
const FIRST_LOAD_KB = 330
const RATE = 200
const EVENTS = 600
const STEPS = 20

test('the first load of a page is small', async ({ page, server }) => {
  const sizes: Record<string, number> = {}
  page.on('response', async (r) => {
    if (!new URL(r.url()).pathname.startsWith('/api/')) sizes[new URL(r.url()).pathname] = (await r.request().sizes()).responseBodySize
  })
  for (const path of ['/workflows', '/workflows/hello', '/inbox', '/sessions']) {
    for (const key of Object.keys(sizes)) delete sizes[key]
    await page.goto('about:blank')
    await page.context().clearCookies()
    const fresh = await page.context().newCDPSession(page)
    await fresh.send('Network.clearBrowserCache')
    await page.goto(server.address + path, { waitUntil: 'networkidle' })
    const kb = Object.values(sizes).reduce((a, b) => a + b, 0) / 1024
    console.log(`${path}: ${kb.toFixed(1)} KB as sent, with what is fetched ahead for the other pages, ${Object.keys(sizes).length} files`)
    expect(Object.keys(sizes).length).toBeGreaterThan(3)
    expect(kb, path).toBeLessThan(FIRST_LOAD_KB)
  }
})

test(`${RATE} events a second are painted soon after they come`, async ({ page, server }) => {
  const workflow = `${server.mark}-events`
  const ids = Array.from({ length: STEPS }, (_, i) => `s${i}`)
  await server.call('PUT', `/workflows/${workflow}`, {
    steps: [{ id: 'root', function: 'request', input: { prompt: 'Go on?' } }, ...ids.map((id) => ({ id, function: 'template', input: { template: 'x' } }))],
    paths: ids.map((id) => ({ source: 'root', target: id })),
  })
  const s = await server.call<{ id: string }>('POST', '/sessions?wait=10s', { workflow })
  await page.addInitScript(stream, { rate: RATE, events: EVENTS, steps: STEPS })
  await page.goto(`${server.address}/sessions/${s.id}`)
  await expect(page.locator('[data-id=s0] .card')).toBeAttached()
  await page.evaluate(() => (globalThis as unknown as { begin: () => void }).begin())
  await expect.poll(() => page.evaluate(() => (globalThis as unknown as { late: number[] }).late.length)).toBe(EVENTS)
  const { late, paints } = await page.evaluate(() => {
    const w = globalThis as unknown as { late: number[]; paints: number }
    return { late: w.late.sort((a, b) => a - b), paints: w.paints }
  })
  const at = (share: number) => late[Math.floor(late.length * share)]
  console.log(`event to paint at ${RATE} a second: median ${Math.round(at(0.5))} ms, p95 ${Math.round(at(0.95))} ms, ${paints} paints for ${EVENTS} events`)
  expect(paints, 'events are gathered').toBeLessThan(EVENTS / 4)
  if (BUDGET) expect(at(0.95)).toBeLessThan(150)
})

/** stream stands in for the server's event stream in the page, and measures when a card shows what an event said. */
function stream({ rate, events, steps }: { rate: number; events: number; steps: number }) {
  const w = globalThis as unknown as { late: number[]; paints: number; begin: () => void }
  const sent = new Map<string, number>()
  const fetched = globalThis.fetch
  let push: (text: string) => void = () => undefined
  w.late = []
  w.paints = 0
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    if (!url.includes('/events')) return fetched(input, init)
    const body = new ReadableStream<Uint8Array>({ start: (c) => void (push = (text) => c.enqueue(new TextEncoder().encode(text))) })
    return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }))
  }
  const seen = new Map<string, number>()
  const look = () => {
    let painted = false
    for (const card of document.querySelectorAll<HTMLElement>('.react-flow__node')) {
      const id = card.dataset.id!
      const visit = Number(/×(\d+)/.exec(card.querySelector('.visits')?.textContent ?? '')?.[1] ?? 0)
      const before = seen.get(id) ?? 1
      if (visit <= before) continue
      painted = true
      for (let v = before + 1; v <= visit; v++) w.late.push(performance.now() - sent.get(`${id}/${v}`)!)
      seen.set(id, visit)
    }
    if (painted) w.paints++
    requestAnimationFrame(look)
  }
  w.begin = () => {
    requestAnimationFrame(look)
    const began = performance.now()
    let n = 0
    const timer = setInterval(() => {
      const due = Math.min(events, Math.floor(((performance.now() - began) / 1000) * rate))
      for (; n < due; n++) {
        const [step, visit] = [`s${n % steps}`, Math.floor(n / steps) + 2]
        sent.set(`${step}/${visit}`, performance.now())
        push(`event: step\nid: ${n + 1}\ndata: ${JSON.stringify({ step, visit, status: 'active' })}\n\n`)
      }
      if (n >= events) clearInterval(timer)
    }, 5)
  }
}
