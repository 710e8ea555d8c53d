import { seriousFaults } from './axe'
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
  await page.context().setOffline(true)
  await expect(page.getByText('The server does not answer.')).toBeVisible({ timeout: 40_000 })
  await page.context().setOffline(false)
  await expect(page.getByText('The server does not answer.')).toBeHidden({ timeout: 40_000 })
})

test('says what is not there', async ({ page, server }) => {
  await page.goto(server.address + '/sessions/nothing-is-called-this')
  await expect(page.getByRole('alert')).toContainText('Not found')
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

for (const theme of ['light', 'dark'] as const) {
  test(`no page has a serious accessibility fault: ${theme}`, async ({ page, server }) => {
    await page.emulateMedia({ colorScheme: theme })
    const id = `${server.mark}-axe-${theme}`
    await server.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
    for (const [path, ready] of [
      ['/workflows', '.workflow-row'],
      ['/workflows/order?step=root', '.card'],
      ['/workflows/order?overlay=traffic', '.stage-note'],
      ['/workflows/order?start=true', 'dialog'],
      ['/inbox', '.inbox-row'],
      ['/sessions', '.table .tr'],
      [`/sessions/${id}?step=root`, '.card'],
      [`/sessions/${id}?panel=state`, '.state pre'],
      ['/batches', 'h1'],
    ]) {
      await page.goto(server.address + path)
      await page.locator(ready).first().waitFor()
      expect(await seriousFaults(page), path).toEqual([])
    }
  })
}
