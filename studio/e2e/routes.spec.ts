import { expect, test } from './server'

/** The order of the README: a path goes past the card between its ends. */
const lamps = {
  steps: [
    { id: 'root', function: 'request', input: { prompt: 'How many lamps?', schema: { type: 'integer' } } },
    { id: 'confirm', function: 'confirm', input: { prompt: 'Order @{SESSION_ID}.root.response lamps?' } },
    { id: 'order', function: 'reply', input: { message: '@{SESSION_ID}.root.response lamps are on their way.' } },
  ],
  paths: [
    { source: 'root', target: 'order', condition: 'when @{SESSION_ID}.root.response < 10' },
    { source: 'root', target: 'confirm', condition: 'when @{SESSION_ID}.root.response >= 10' },
    { source: 'confirm', target: 'order', condition: '@{SESSION_ID}.confirm.confirmed' },
    { source: 'order', target: 'root', back: true, condition: '@{SESSION_ID}.order.again' },
  ],
}

test('no path and no label lies on a card that is not its own, in every workflow', async ({ page, server }, info) => {
  await server.call('PUT', '/workflows/lamps', lamps)
  const { items } = await server.call<{ items: { id: string }[] }>('GET', '/workflows?limit=200')
  expect(items.length).toBeGreaterThan(7)
  for (const { id } of items) {
    await page.goto(`${server.address}/workflows/${id}`)
    await expect(page.locator('.react-flow__node').first()).toBeVisible()
    const { paths } = await server.call<{ paths?: unknown[] }>('GET', `/workflows/${id}`)
    if (paths?.length) await expect(page.locator('.react-flow__edge-path').first()).toBeAttached()
    const faults = await page.evaluate(() => {
      const found: string[] = []
      const cards = [...document.querySelectorAll<HTMLElement>('.react-flow__node-step')].map((e) => ({ id: e.dataset.id!, r: e.getBoundingClientRect() }))
      for (const path of document.querySelectorAll<SVGPathElement>('path.react-flow__edge-path')) {
        const matrix = path.getScreenCTM()!
        const length = path.getTotalLength()
        const ends = [0, length].map((at) => path.getPointAtLength(at).matrixTransform(matrix))
        for (const { id, r } of cards) {
          if (ends.some((p) => p.x > r.left - 4 && p.x < r.right + 4 && p.y > r.top - 4 && p.y < r.bottom + 4)) continue
          for (let at = 0; at <= length; at += 3) {
            const p = path.getPointAtLength(at).matrixTransform(matrix)
            if (p.x > r.left + 1 && p.x < r.right - 1 && p.y > r.top + 1 && p.y < r.bottom - 1) {
              found.push(`the path ${path.id} crosses ${id}`)
              break
            }
          }
        }
      }
      for (const label of document.querySelectorAll('.path-label')) {
        const l = label.getBoundingClientRect()
        for (const { id, r } of cards) if (l.left < r.right - 2 && l.right > r.left + 2 && l.top < r.bottom - 2 && l.bottom > r.top + 2) found.push(`the label ${label.textContent} lies on ${id}`)
      }
      return found
    })
    expect(faults, id).toEqual([])
    await page.screenshot({ path: info.outputPath(`${id}.png`) })
  }
})
