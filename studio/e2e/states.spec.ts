import { expect, order, test } from './server'

test.beforeAll(async ({ server }) => {
  await server.call('PUT', '/workflows/order', order)
})

test('signs in with a token, and says when it is wrong', async ({ page, locked }) => {
  await page.goto(locked.address + '/workflows')
  await page.getByLabel('Token').fill('wrong')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toContainText('does not know this token')
  await page.getByLabel('Token').fill('a-token-for-this-test-that-is-long-enough')
  await page.keyboard.press('Enter')
  await expect(page.locator('.workflow-row').first()).toBeVisible()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByLabel('Token')).toBeVisible()
})

test('says that the server is gone, and finds it again', async ({ page, server }) => {
  await page.goto(server.address + '/workflows')
  await expect(page.locator('.workflow-row').first()).toBeVisible()
  await page.waitForLoadState('networkidle') // the parts of the other pages come in when there is nothing else to do
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Batches' }).click()
  await expect(page.getByText('The server does not answer.')).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: 'Studio tries again by itself' })).toBeVisible()
  await page.context().setOffline(false)
  await expect(page.getByText('The server does not answer.')).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Batches', exact: true })).toBeVisible()
})

test('says what is not there', async ({ page, server }) => {
  await page.goto(server.address + '/sessions/nothing-is-called-this')
  await expect(page.getByRole('alert')).toContainText('Not found')
  await expect(page.getByRole('link', { name: 'Go to sessions' })).toBeVisible()
  await page.goto(server.address + '/sessions?q=nothing-contains-this')
  await expect(page.getByRole('heading', { name: 'No session fits this filter' })).toBeVisible()
})

test('a phone answers the inbox', async ({ page, server }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const id = `${server.mark}-phone`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'approval', id })
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: 'News' })
  await page.goto(server.address + `/inbox?q=${id}`)
  await page.locator('.inbox-row').first().click()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await expect.poll(async () => (await server.call<{ status: string }>('GET', `/sessions/${id}`)).status).toBe('complete')
})

test('a phone shows a session: its canvas has room, and nothing lies on the answer', async ({ page, server }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const id = `${server.mark}-phone-session`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'approval', id })
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: 'News' })
  await page.goto(`${server.address}/sessions/${id}`)
  await expect(page.getByText(/^waiting for /)).toBeVisible()
  for (const name of ['Approve', 'Reject…']) await page.getByRole('button', { name, exact: true }).click({ trial: true }) // fails where something covers it
  expect((await page.locator('.stage').boundingBox())!.height).toBeGreaterThan(300)
  await page.goto(`${server.address}/sessions?q=${id}`)
  const table = (await page.locator('.table').boundingBox())!
  const changed = (await page.locator('.table .tr').nth(1).locator(':scope > :visible').last().boundingBox())!
  expect(changed.x + changed.width).toBeLessThanOrEqual(table.x + table.width)
  await page.goto(`${server.address}/workflows`)
  const row = page.locator('.workflow-row').filter({ hasText: 'no sessions' }).first()
  expect((await row.getByText('no sessions').boundingBox())!.x).toBe((await row.locator('b').boundingBox())!.x)
})

test('shows that it loads, and what the server refuses', async ({ page, server }) => {
  let release = () => {}
  const held = new Promise<void>((done) => (release = done))
  await page.route('**/api/v1/workflows?*', async (route) => {
    await held
    await route.continue()
  })
  await page.goto(server.address + '/workflows')
  await expect(page.getByRole('status', { name: 'Loading workflows' })).toBeVisible()
  release()
  await expect(page.locator('.workflow-row').first()).toBeVisible()
  await expect(page.getByRole('status', { name: 'Loading workflows' })).toBeHidden()

  await page.route('**/api/v1/sessions?*', (route) =>
    route.fulfill({ status: 400, contentType: 'application/problem+json', body: JSON.stringify({ type: '/problems/bad_request', title: 'Bad request', status: 400, detail: 'limit is not valid' }) }),
  )
  await page.goto(server.address + '/sessions')
  await expect(page.getByRole('alert')).toContainText('limit is not valid')
  await page.unroute('**/api/v1/sessions?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('says what to do where there is nothing yet', async ({ page, server }) => {
  const nothing = { contentType: 'application/json', body: JSON.stringify({ items: [] }) }
  for (const [path, route, heading] of [
    ['/workflows', '**/api/v1/workflows?*', 'No workflows yet'],
    ['/sessions', '**/api/v1/sessions?*', 'No sessions yet'],
    ['/inbox', '**/api/v1/awaiting?*', 'Nothing waits for you'],
    ['/batches', '**/api/v1/batches?*', 'No batches yet'],
  ]) {
    await page.route(route, (r) => r.fulfill(nothing))
    await page.goto(server.address + path)
    await expect(page.getByRole('heading', { name: heading })).toBeVisible()
    await page.unroute(route)
  }
})

test('a token with few scopes sees buttons off, with the reason', async ({ page, locked }) => {
  await locked.call('PUT', '/workflows/order', order)
  const id = `${locked.mark}-scopes`
  const desk = `desk-${locked.mark}`
  await locked.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
  await page.goto(`${locked.address}/sessions/${id}#token=${locked.newToken(desk, ['read', 'answer'])}`)
  const actions = page.getByRole('button', { name: 'Actions' })
  await expect(actions).toBeDisabled()
  await expect(actions).toHaveAttribute('title', `Your token "${desk}" does not allow this: it lacks the scope "operate".`)
  await expect(page.getByRole('button', { name: 'Send answer' })).toBeEnabled()
  expect(page.url(), 'the token does not stay in the address').not.toContain('token')
  await page.goto(locked.address + '/workflows')
  await expect(page.getByRole('button', { name: 'Import' })).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Start order' })).toBeEnabled()
})
