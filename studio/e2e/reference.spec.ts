import { seriousFaults } from './axe'
import { layoutFaults } from './boxes'
import { expect, test } from './server'

const TOKEN = 'a-token-for-this-test-that-is-long-enough'

test('the reference of the API works offline, under its policy, with the token of Studio', async ({ page, locked }) => {
  const complaints: string[] = []
  page.on('console', (m) => m.type() === 'error' && !m.text().includes('401') && complaints.push(m.text()))
  page.on('pageerror', (e) => complaints.push(String(e)))
  page.on('request', (r) => !r.url().startsWith(locked.address) && !r.url().startsWith('data:') && complaints.push(r.url()))

  await page.goto(locked.address + '/docs')
  await expect(page.getByRole('alert')).toContainText('signed in')
  await page.getByRole('link', { name: 'Sign in to Studio' }).click()
  await page.getByLabel('Token').fill(TOKEN)
  await page.keyboard.press('Enter')
  await expect(page.locator('.workflow-row').first()).toBeVisible()
  await page.getByRole('link', { name: 'HTTP API' }).click()

  await expect(page.getByRole('heading', { name: /^stepgraph/ })).toBeVisible()
  await expect(page.locator('.opblock-tag')).toHaveCount(9)
  await page.locator('.opblock-tag').filter({ hasText: 'sessions' }).first().click()
  const list = page.locator('#operations-sessions-listSessions')
  await list.locator('.opblock-summary-control').click()
  await list.getByRole('button', { name: 'Try it out' }).click()
  await list.getByRole('button', { name: 'Execute' }).click()
  await expect(list.locator('.live-responses-table tbody .response-col_status').first()).toHaveText(/200/)
  await expect(list.locator('.request-url pre')).toContainText(locked.address + '/api/v1/sessions')
  expect(complaints).toEqual([])
})

for (const [name, looks] of Object.entries({ light: { theme: 'light' }, dark: { theme: 'dark' } })) {
  test(`the reference in ${name} can be read, on a phone too`, async ({ page, server }, info) => {
    await page.addInitScript((l) => localStorage.setItem('stepgraph.looks', JSON.stringify(l)), looks)
    await page.goto(server.address + '/docs#/sessions/startSession')
    await expect(page.locator('#operations-sessions-startSession .opblock-body')).toBeVisible()
    await page.screenshot({ path: info.outputPath(`reference-${name}.png`) })
    // The library puts a link into the button of each operation, and has selects without a name.
    expect((await seriousFaults(page)).filter((f) => !/^(nested-interactive|select-name):/.test(f))).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    await page.screenshot({ path: info.outputPath(`reference-${name}-phone.png`) })
    expect((await layoutFaults(page)).filter((f) => f.startsWith('the page is'))).toEqual([])
  })
}
