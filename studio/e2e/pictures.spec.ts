import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { big, expect, order, test } from './server'

test.beforeAll(async ({ server }) => {
  await server.call('PUT', '/workflows/order', order)
  await server.call('PUT', '/workflows/big500', big(500))
})

/** The pictures of README and docs: the pages are opened always, written with STUDIO_PICTURES=1. */
const folder = resolve(import.meta.dirname, '../../docs/studio')

test('the pages that the documentation shows', async ({ page, server }) => {
  const write = process.env.STUDIO_PICTURES === '1'
  if (write) mkdirSync(folder, { recursive: true })
  const shoot = async (name: string) => {
    if (write) await page.screenshot({ path: `${folder}/${name}.png`, caret: 'hide' })
  }
  const id = 'announcement-7'
  const waiting = await server.call<{ id: string }>('POST', '/sessions?wait=10s', { workflow: 'order', labels: { team: 'shop' } })
  await server.call('POST', '/sessions?wait=10s', { workflow: 'order', labels: { team: 'shop' } })
  for (const urgent of [true, false]) {
    const s = await server.call<{ id: string }>('POST', '/sessions?wait=10s', { workflow: 'order', labels: { team: 'shop' } })
    await server.call('POST', `/sessions/${s.id}/answer?wait=10s`, { response: { name: 'Ada', pieces: 1, urgent } })
  }
  await server.call('POST', '/sessions?wait=10s', { workflow: 'approval', id, labels: { team: 'office' } })
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: 'The office moves on Monday.' })
  await page.goto(server.address + `/sessions/${id}`)
  await expect(page.locator('[data-id=publish] .is-awaiting_input')).toBeVisible()
  await shoot('session')
  await page.goto(server.address + '/workflows/order?step=check')
  await expect(page.locator('.react-flow__node')).toHaveCount(4)
  await expect(page.locator('[data-id=root]')).toContainText('wait here')
  await shoot('workflow')
  await page.goto(server.address + `/inbox?q=${id}`)
  await page.locator('.inbox-row').first().click()
  await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeVisible()
  await shoot('inbox')
  await page.goto(server.address + '/sessions')
  await expect(page.locator(`a[title="${waiting.id}"]`)).toBeVisible()
  await shoot('sessions')
  await page.goto(server.address + '/workflows')
  await expect(page.locator('.workflow-row').first()).toBeVisible()
  await shoot('workflows')
})

/** offer works on an order in two branches and asks a person before it says the price. */
const offer = {
  name: 'Offers',
  steps: [
    {
      id: 'root',
      name: 'Take the order',
      function: 'request',
      input: { prompt: 'What would you like to order?', schema: { type: 'object', required: ['item', 'pieces'], properties: { item: { type: 'string' }, pieces: { type: 'integer', minimum: 1 } } } },
    },
    { id: 'stock', name: 'Look up the stock', function: 'code', input: { code: "result = {'lamp': 140, 'chair': 12}.get(variables.get('item', ''), 0)", variables: { item: '@{SESSION_ID}.root.response.item' } } },
    { id: 'price', name: 'Work out the price', function: 'calculate', input: { expression: '@{SESSION_ID}.root.response.pieces * 25' } },
    { id: 'none', name: 'Sold out', function: 'reply', input: { message: 'Sorry, we have too few.' } },
    { id: 'offer', name: 'Send the offer', function: 'reply', join: 'all', approval: true, input: { message: '@{SESSION_ID}.root.response.pieces × @{SESSION_ID}.root.response.item for @{SESSION_ID}.price.result euros.' } },
    { id: 'thank', name: 'Thank', function: 'reply', input: { message: 'Thank you.' } },
  ],
  paths: [
    { source: 'root', target: 'stock' },
    { source: 'root', target: 'price' },
    { source: 'stock', target: 'none', label: 'too few', condition: 'when @{SESSION_ID}.stock.result < @{SESSION_ID}.root.response.pieces' },
    { source: 'stock', target: 'offer', label: 'enough', condition: 'when @{SESSION_ID}.stock.result >= @{SESSION_ID}.root.response.pieces' },
    { source: 'price', target: 'offer' },
    { source: 'offer', target: 'thank' },
  ],
}

test('the picture of the README', async ({ browser, server }) => {
  const write = process.env.STUDIO_PICTURES === '1'
  await server.call('PUT', '/workflows/offers', offer)
  const id = 'order-1'
  await server.call('POST', '/sessions?wait=10s', { workflow: 'offers', id })
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: { item: 'lamp', pieces: 40 } })
  const context = await browser.newContext({ viewport: { width: 1560, height: 666 }, deviceScaleFactor: 1.25, reducedMotion: 'reduce', colorScheme: 'light', timezoneId: 'UTC', locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto(`${server.address}/sessions/${id}`)
  await expect(page.locator('[data-id=offer] .is-awaiting_input')).toBeVisible()
  await expect(page.getByText('Approve step "Send the offer"?')).toBeVisible()
  await expect(page.getByRole('region', { name: 'What is to be approved' })).toContainText('40 × lamp for 1000 euros.')
  if (write) await page.screenshot({ path: `${folder}/order.png`, caret: 'hide' })
  await context.close()
})

/** With STUDIO_LOOK=FOLDER every page is written there, in each theme and contrast, on a desk and on a phone, for a person to look at. */
test('every page, to look at', async ({ page, server }) => {
  const folder = process.env.STUDIO_LOOK
  test.skip(!folder, 'only on request')
  test.setTimeout(600_000)
  const id = `${server.mark}-look`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: { name: 'Ada', pieces: 1, urgent: true } })
  const done = await server.call<{ id: string }>('POST', '/sessions?wait=10s', { workflow: 'iterate' })
  for (const [name, width, height] of [['desk', 1440, 900], ['phone', 390, 844]] as const) {
    await page.setViewportSize({ width, height })
    for (const [key, path, ready] of [
      ['workflows', '/workflows', '.workflow-row'],
      ['workflow', '/workflows/order?step=check', '.card'],
      ['overlay', '/workflows/order?overlay=traffic', '.stage-note'],
      ['big', '/workflows/big500', '.card'],
      ['start', '/workflows/hello?start=true', 'dialog'],
      ['inbox', '/inbox', '.inbox-row'],
      ['sessions', '/sessions', '.table .tr'],
      ['stuck', `/sessions/${id}?step=check`, '.inspector h2'],
      ['done', `/sessions/${done.id}`, '.card'],
      ['state', `/sessions/${id}?panel=state`, '.state pre'],
      ['batches', '/batches', 'h1'],
    ]) {
      for (const [look, colorScheme, contrast, forcedColors] of [
        ['light', 'light', 'no-preference', 'none'],
        ['dark', 'dark', 'no-preference', 'none'],
        ['contrast-light', 'light', 'more', 'none'],
        ['contrast-dark', 'dark', 'more', 'none'],
        ['forced-dark', 'dark', 'no-preference', 'active'],
      ] as const) {
        if (name === 'phone' && !['light', 'dark'].includes(look)) continue
        await page.emulateMedia({ colorScheme, contrast, forcedColors })
        await page.goto(server.address + path)
        await page.locator(ready).first().waitFor({ state: 'attached' })
        await page.screenshot({ path: `${folder}/${key}-${name}-${look}.png` })
      }
    }
  }
})
