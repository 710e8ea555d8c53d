import { expect, test } from './server'

/** spoken replaces the event stream of the page by one that says these tokens and stays open. */
function spoken(texts: string[]) {
  const fetched = globalThis.fetch
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    if (!url.includes('/events')) return fetched(input, init)
    const token = (text: string) => `event: token\ndata: ${JSON.stringify({ step: 'root', visit: 1, call: 1, text, audience: 'person' })}\n\n`
    const body = new ReadableStream<Uint8Array>({ start: (c) => texts.forEach((t) => c.enqueue(new TextEncoder().encode(token(t)))) })
    return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }))
  }
}

test('a text that is being written is read out by sentences, and stopped', async ({ page, server }) => {
  const id = `${server.mark}-stop`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'hello', id })
  await page.addInitScript(spoken, ['The first sen', 'tence. The sec', 'ond is not'])
  await page.goto(`${server.address}/sessions/${id}`)
  await expect(page.locator('.line.provisional')).toContainText('The first sentence. The second is not')
  await expect(page.locator('.line.provisional .cursor')).toBeVisible()
  const log = page.getByRole('log', { name: 'Being written' })
  await expect(log).toHaveText('The first sentence.')
  await page.getByRole('button', { name: 'Stop…' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(async () => (await server.call<{ status: string }>('GET', `/sessions/${id}`)).status).toBe('cancelled')
})
