import type { Page } from '@playwright/test'
import { seriousFaults } from './axe'
import { layoutFaults } from './boxes'
import { expect, order, test } from './server'

test.beforeAll(async ({ server }) => {
  await server.call('PUT', '/workflows/order', order)
})

/** theme turns a page that is open to a theme. */
async function theme(page: Page, to: 'light' | 'dark') {
  await page.emulateMedia({ colorScheme: to })
  await expect(page.locator('html')).toHaveAttribute('data-theme', to)
}

/** Every page with the element that shows that it is complete. */
function pages(session: string): [string, string][] {
  return [
    ['/workflows', '.workflow-row'],
    ['/workflows/order?step=root', '.card'],
    ['/workflows/order?overlay=traffic', '.stage-note'],
    ['/workflows/order?start=true', 'dialog'],
    ['/inbox', '.inbox-row'],
    ['/sessions', '.table .tr'],
    [`/sessions/${session}?step=root`, '.inspector h2'],
    [`/sessions/${session}?panel=state`, '.state pre'],
    ['/batches', 'h1'],
  ]
}

test('no page has a serious accessibility fault or a fault of layout, in light and dark', async ({ page, server }) => {
  test.setTimeout(300_000) // axe takes seconds of processor for each page
  const id = `${server.mark}-looks`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
  for (const [path, ready] of pages(id)) {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(server.address + path)
    await page.locator(ready).first().waitFor()
    expect.soft(await seriousFaults(page), `${path}, light`).toEqual([])
    expect.soft(await layoutFaults(page), path).toEqual([])
    await theme(page, 'dark')
    expect.soft(await seriousFaults(page), `${path}, dark`).toEqual([])
  }
})

test('signing in and the search have no serious accessibility fault', async ({ page, server, locked }) => {
  await page.goto(locked.address + '/workflows')
  await page.getByLabel('Token').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.goto(server.address + '/workflows')
  await page.locator('.workflow-row').first().waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /Search/ }).fill('order')
  expect(await seriousFaults(page)).toEqual([])
})

for (const [name, width, height] of [
  ['a phone', 390, 844],
  ['a small laptop at 200 percent', 720, 450],
] as const) {
  test(`every page fits ${name}`, async ({ page, server }) => {
    await page.setViewportSize({ width, height })
    const id = `${server.mark}-${width}`
    await server.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
    for (const [path, ready] of pages(id)) {
      await page.goto(server.address + path)
      await page.locator(ready).first().waitFor({ state: 'attached' })
      expect.soft(await layoutFaults(page), path).toEqual([])
    }
  })
}
