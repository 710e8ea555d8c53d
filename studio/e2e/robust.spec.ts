import { seriousFaults } from './axe'
import { layoutFaults } from './boxes'
import { expect, order, test } from './server'

test.beforeAll(async ({ server }) => {
  await server.call('PUT', '/workflows/order', order)
})

test('an answer given in one window is seen in the other, and a hasty person answers once', async ({ page, context, server }) => {
  const id = `${server.mark}-two`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
  const other = await context.newPage()
  for (const p of [page, other]) {
    await p.goto(`${server.address}/sessions/${id}`)
    await expect(p.getByLabel('Your name')).toBeVisible()
  }
  await page.getByLabel('Your name').fill('Ada')
  await page.getByLabel('Pieces').fill('2')
  const sent: string[] = []
  page.on('request', (r) => r.url().endsWith('/answer') && sent.push(r.headers()['idempotency-key']))
  await page.getByRole('button', { name: 'Send answer' }).dblclick()
  await expect(page.locator('[data-id=end] .is-complete')).toBeVisible()
  await expect(other.locator('[data-id=end] .is-complete')).toBeVisible()
  await expect(other.getByLabel('Your name')).toHaveCount(0)
  expect(new Set(sent).size).toBe(1)
  const { items } = await server.call<{ items: { kind: string }[] }>('GET', `/sessions/${id}/requests`)
  expect(items.filter((r) => r.kind === 'answer')).toHaveLength(1)
})

test('an answer whose reply is lost is sent again as the same answer', async ({ page, server }) => {
  const id = `${server.mark}-lost`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
  await page.goto(`${server.address}/inbox?q=${id}`)
  await page.locator('.inbox-row').first().click()
  await page.getByLabel('Your name').fill('Ada')
  await page.getByLabel('Pieces').fill('2')
  const keys: string[] = []
  await page.route(`**/${id}/answer`, async (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    await route.fetch()
    await (keys.length === 1 ? route.abort() : route.fallback())
  })
  const send = page.getByRole('button', { name: 'Send answer' })
  await send.click()
  await expect(page.locator('.answer').getByRole('alert')).toHaveText('The server cannot be reached.')
  await send.click()
  await expect(page.locator('.inbox-row')).toHaveCount(0)
  await expect(page.getByText('Somebody else was faster.')).toHaveCount(0)
  expect(new Set(keys).size).toBe(1)
  const { items } = await server.call<{ items: { kind: string }[] }>('GET', `/sessions/${id}/requests`)
  expect(items.filter((r) => r.kind === 'answer')).toHaveLength(1)
})

test('a start whose reply is lost makes one session, however often it is sent', async ({ page, server }) => {
  const workflow = `${server.mark}-once`
  await server.call('PUT', `/workflows/${workflow}`, order)
  await page.goto(`${server.address}/workflows/${workflow}?start=true`)
  let times = 0
  await page.route('**/api/v1/sessions', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    if (++times > 1) return route.fallback()
    await route.fetch()
    await route.abort()
  })
  const begin = page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true })
  await begin.click()
  await expect(page.getByRole('dialog').getByRole('alert')).toHaveText('The server cannot be reached.')
  await begin.click()
  await expect(page.getByLabel('Your name')).toBeVisible()
  const { items } = await server.call<{ items: object[] }>('GET', `/sessions?workflow=${workflow}`)
  expect(items).toHaveLength(1)
})

test('a workflow and a session that are removed while they are watched say so', async ({ page, server }) => {
  const workflow = `${server.mark}-removed`
  const id = `${server.mark}-removed1`
  await server.call('PUT', `/workflows/${workflow}`, order)
  await server.call('POST', '/sessions?wait=10s', { workflow, id })
  await server.call('POST', `/sessions/${id}/cancel?wait=10s`, {})
  await page.clock.install()
  await page.goto(`${server.address}/sessions/${id}`)
  await expect(page.getByText('Cancelled').first()).toBeVisible()
  await server.call('DELETE', `/sessions/${id}`)
  await expect(async () => {
    await page.clock.fastForward(10_000)
    await expect(page.getByRole('alert')).toContainText('This session was removed.', { timeout: 1000 })
  }).toPass()
  await expect(page.locator('[data-id=root]')).toBeVisible()
  expect(await seriousFaults(page)).toEqual([])
  await page.goto(`${server.address}/workflows/${workflow}`)
  await expect(page.locator('.card')).toHaveCount(4)
  await server.call('DELETE', `/workflows/${workflow}`)
  await expect(async () => {
    await page.clock.fastForward(4_000)
    await expect(page.getByRole('alert')).toContainText('This workflow was removed.', { timeout: 1000 })
  }).toPass()
  expect(await seriousFaults(page)).toEqual([])
})

test('of a long command to approve, the buttons stay in view, and a long name leaves the head of a phone whole', async ({ page, server }) => {
  const workflow = `${server.mark}-command`
  const id = `${server.mark}-command1`
  await server.call('PUT', `/workflows/${workflow}`, {
    name: '审批 العربية '.repeat(8),
    steps: [{ id: 'root', name: '审批步骤', function: 'reply', approval: true, input: { message: 'rm -rf ' + '/a/long/path/to/some/file '.repeat(80) } }],
    paths: [],
  })
  await server.call('POST', '/sessions?wait=10s', { workflow, id })
  await page.goto(`${server.address}/sessions/${id}`)
  await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeInViewport({ ratio: 1 })
  await page.goto(`${server.address}/inbox?q=${id}`)
  await page.locator('.inbox-row').first().click()
  await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeInViewport({ ratio: 1 })
  expect(await seriousFaults(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${server.address}/workflows/${workflow}`)
  await page.locator('.card').waitFor()
  const chip = (await page.locator('.bar-counts .chip').first().boundingBox())!
  const overlay = (await page.getByRole('combobox', { name: 'Overlay' }).boundingBox())!
  expect(chip.y >= overlay.y + overlay.height || chip.x + chip.width <= overlay.x, 'they do not lie on each other').toBe(true)
  expect(await layoutFaults(page)).toEqual([])
})

test('the count beside the inbox falls with an answer', async ({ page, server }) => {
  const id = `${server.mark}-count`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'hello', id })
  await page.goto(`${server.address}/inbox?q=${id}`)
  const badge = page.locator('.badge')
  await expect(badge).toBeVisible()
  const before = Number(await badge.textContent())
  await page.locator('.inbox-row').first().click()
  await page.getByLabel('Your answer').fill('Ada')
  await page.clock.pauseAt(Date.now() + 1000) // what reads itself every few seconds does not read now
  await page.keyboard.press('Enter')
  await expect
    .poll(async () => {
      await page.clock.runFor(100)
      return (await badge.count()) ? Number(await badge.textContent()) : 0
    })
    .toBe(before - 1)
})

test('a token that is taken back while a page is open asks to sign in, and the page is still there afterwards', async ({ page, locked }) => {
  await locked.call('PUT', '/workflows/order', order)
  const id = `${locked.mark}-revoked`
  await locked.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
  const token = locked.newToken(`gone-${locked.mark}`, ['read', 'answer'])
  await page.goto(`${locked.address}/sessions/${id}?panel=requests#token=${token}`)
  await expect(page.getByLabel('Your name')).toBeVisible()
  await locked.call('DELETE', `/tokens/gone-${locked.mark}`)
  await page.getByRole('tab', { name: 'State' }).or(page.getByLabel('Token')).first().click()
  await expect(page.getByLabel('Token')).toBeVisible()
  await page.getByLabel('Token').fill('a-token-for-this-test-that-is-long-enough')
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Your name')).toBeVisible()
  expect(page.url()).toContain(`/sessions/${id}`)
})

test('a page survives a restart of the server: it says so, and goes on by itself', async ({ page, server }) => {
  const id = `${server.mark}-restart`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
  await page.goto(`${server.address}/sessions/${id}`)
  await page.getByLabel('Your name').fill('Ada')
  await page.getByLabel('Pieces').fill('2')
  await server.restart(async () => {
    await expect(page.getByText('Connecting again…').or(page.getByText('The server does not answer.')).first()).toBeVisible()
  })
  await expect(page.getByText('The server does not answer.')).toBeHidden()
  await expect(page.getByLabel('Your name'), 'what was typed stays').toHaveValue('Ada')
  await page.getByRole('button', { name: 'Send answer' }).click()
  await expect(page.locator('[data-id=end] .is-complete')).toBeVisible()
})

const MARKUP = '<img src=x onerror=alert(1)><b>bold</b>'
const LONG = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(8)
const nested = (n: number): unknown => (n === 0 ? 'end' : { a: nested(n - 1), b: [n] })

/** odd has what names and values should not be but are: markup, right to left, far too long, far too deep. */
const odd = (long: string) => ({
  name: `${MARKUP} ${LONG}`,
  description: `שלום ${MARKUP}`,
  steps: [
    { id: 'root', name: `مرحبا ${MARKUP}`, function: 'request', input: { prompt: `مرحبا! ما اسمك؟ ${MARKUP} ${LONG}` } },
    { id: long, name: LONG, function: 'variable', input: { value: '@{SESSION_ID}.root.response' } },
    { id: 'deep', function: 'variable', input: { value: nested(50) } },
    { id: 'huge', function: 'variable', input: { value: Array.from({ length: 4000 }, (_, i) => ({ i, text: `row ${i} ${MARKUP}` })) } },
    { id: 'end', function: 'reply', input: { message: `**strong** ${MARKUP} ${LONG}` } },
  ],
  paths: [
    { source: 'root', target: long, label: LONG },
    { source: long, target: 'deep' },
    { source: 'deep', target: 'huge' },
    { source: 'huge', target: 'end' },
  ],
})

test('markup, right-to-left, very long, very deep and very large values are shown and break nothing', async ({ page, server }) => {
  const workflow = `${server.mark}-odd`
  const long = 'x'.repeat(120)
  await server.call('PUT', `/workflows/${workflow}`, odd(long))
  const [id, waits] = [`${server.mark}-odd-done`, `${server.mark}-odd-waits`]
  for (const s of [id, waits]) await server.call('POST', '/sessions?wait=10s', { workflow, id: s })
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: { [MARKUP]: LONG } })
  let alerts = 0
  page.on('dialog', (d) => (alerts++, d.dismiss()))
  for (const [path, ready] of [
    [`/workflows/${workflow}?step=root`, '.inspector h2'],
    [`/inbox?q=${waits}`, '.inbox-row'],
    [`/sessions?workflow=${workflow}`, '.table .tr'],
    [`/sessions/${id}?step=${long}`, '.inspector h2'],
    [`/sessions/${id}?step=deep`, '.inspector pre'],
    [`/sessions/${waits}`, '.card'],
  ]) {
    await page.goto(server.address + path)
    await page.locator(ready).first().waitFor()
    expect.soft(await layoutFaults(page), path).toEqual([])
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${server.address}/inbox?q=${waits}`)
  for (const part of ['.inbox-top .faint', 'select[aria-label=Kind]']) {
    const box = (await page.locator(part).first().boundingBox())!
    expect(box.x + box.width, part).toBeLessThanOrEqual(390)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${server.address}/sessions/${id}?step=huge`)
  await page.getByRole('button', { name: 'Load all of it' }).click()
  await page.getByRole('button', { name: /^Show all \d/ }).click()
  await expect(page.getByLabel('Output', { exact: true })).toContainText('row 3999')
  await expect(page.locator('.line strong').getByText('strong')).toBeVisible()
  expect(await page.locator('main img').count()).toBe(0)
  expect(alerts).toBe(0)
})

test('an approval is called by the name of its step', async ({ page, server }) => {
  const id = `${server.mark}-named`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'approval', id })
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: 'News' })
  await page.goto(`${server.address}/inbox?q=${id}`)
  await expect(page.locator('.inbox-row').first()).toContainText('Approve step "Publish"?')
  await expect(page.locator('.inbox-row').first()).toContainText('Publish · ')
})

test('why a session hangs leads to the edit of its state, which shows the difference before it writes', async ({ page, server }) => {
  const id = `${server.mark}-edit`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: { name: 'Ada', pieces: 1, urgent: true } })
  await page.goto(`${server.address}/sessions/${id}`)
  await page.locator('.why').getByRole('button', { name: 'Edit the state…' }).click()
  const state = page.getByRole('textbox', { name: 'State' })
  const text = JSON.parse(await state.inputValue()) as { data: { outputs: Record<string, unknown> } }
  text.data.outputs.end = [{ message: 'from outside' }]
  await state.fill(JSON.stringify(text, null, 2))
  await page.getByRole('button', { name: 'See the difference' }).click()
  await expect(page.getByLabel('Difference')).toContainText('+ ')
  await expect(page.getByLabel('Difference')).toContainText('from outside')
  await page.getByRole('button', { name: 'Write this state' }).click()
  await expect(page.locator('[data-id=ship] .is-complete')).toBeVisible()
})

test('a condition is judged on a session of the past', async ({ page, server }) => {
  const workflow = `${server.mark}-judged`
  await server.call('PUT', `/workflows/${workflow}`, order)
  for (const urgent of [true, false]) {
    const s = await server.call<{ id: string }>('POST', '/sessions?wait=10s', { workflow, id: `${workflow}-${urgent}` })
    await server.call('POST', `/sessions/${s.id}/answer?wait=10s`, { response: { name: 'Ada', pieces: 1, urgent } })
  }
  await page.goto(`${server.address}/workflows/${workflow}?path=${encodeURIComponent('check>ship')}`)
  const truth = page.getByRole('region', { name: 'Judged on a session' })
  await truth.getByLabel('Session to judge it on').selectOption(`${workflow}-true`)
  await expect(truth.getByRole('status')).toHaveText('With the values it has now, the condition is true.')
  await truth.getByLabel('Session to judge it on').selectOption(`${workflow}-false`)
  await expect(truth.getByRole('status')).toHaveText('With the values it has now, the condition is false.')
  await expect(truth).toContainText('True in 1 of the last 2 sessions')
  await server.call('PUT', `/workflows/${workflow}-when`, { ...order, paths: [order.paths[0], { source: 'check', target: 'end', condition: 'when @{SESSION_ID}.root.response.pieces > 3 or @{SESSION_ID}.ship.text == "x"' }] })
  const s = await server.call<{ id: string }>('POST', '/sessions?wait=10s', { workflow: `${workflow}-when` })
  await server.call('POST', `/sessions/${s.id}/answer?wait=10s`, { response: { name: 'Ada', pieces: 2 } })
  await page.goto(`${server.address}/workflows/${workflow}-when?path=${encodeURIComponent('check>end')}`)
  await expect(truth.getByRole('table')).toContainText('root.response.pieces = 2')
  await expect(truth.getByRole('table')).toContainText('ship.text = no value')
})

test('a session that does not fit opens where it stands, and a chosen step stays beside its inspector', async ({ page, server }) => {
  const workflow = `${server.mark}-far`
  const steps: object[] = [{ id: 'root', function: 'variable', input: { value: 1 } }]
  const paths: object[] = []
  for (let i = 1; i < 20; i++) {
    steps.push({ id: `s${i}`, function: 'template', input: { template: 'x' } })
    paths.push({ source: i === 1 ? 'root' : `s${i - 1}`, target: `s${i}` })
  }
  steps.push({ id: 'ask', function: 'request', input: { prompt: 'Now?' } })
  paths.push({ source: 's19', target: 'ask' })
  await server.call('PUT', `/workflows/${workflow}`, { steps, paths })
  const s = await server.call<{ id: string }>('POST', '/sessions?wait=10s', { workflow })
  await page.goto(`${server.address}/sessions/${s.id}`)
  await expect(page.locator('[data-id=ask]')).toBeInViewport()
  await page.locator('[data-id=ask]').click()
  await expect(page.locator('.inspector')).toBeVisible()
  await expect
    .poll(async () => {
      const card = (await page.locator('[data-id=ask]').boundingBox())!
      const stage = (await page.locator('.stage').boundingBox())!
      return card.x >= stage.x && card.x + card.width <= stage.x + stage.width
    })
    .toBe(true)
})

test('high contrast has no serious accessibility fault', async ({ page, server }) => {
  test.setTimeout(300_000)
  const id = `${server.mark}-contrast`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
  await page.emulateMedia({ contrast: 'more' })
  for (const [path, ready] of [
    ['/workflows', '.workflow-row'],
    ['/workflows/order?path=check%3Eship', '.truth .clauses'],
    [`/inbox?q=${id}`, '.inbox-row'],
    ['/sessions', '.table .tr'],
    [`/sessions/${id}?step=root`, '.inspector h2'],
    ['/batches', 'h1'],
  ]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(server.address + path)
      await page.locator(ready).first().waitFor()
      await expect(page.locator('html')).toHaveAttribute('data-contrast', 'more')
      expect.soft(await seriousFaults(page), `${path}, ${colorScheme}`).toEqual([])
    }
  }
})
