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

/** Every dialog and menu: where it is, what is pressed for it, and what shows that it is open. */
function dialogs(session: string): [string, string[], string][] {
  return [
    ['/workflows', ['Show Cypher'], 'dialog pre'],
    ['/workflows', ['Import'], 'dialog textarea'],
    ['/workflows/order', ['Export or share'], '[role=menu]'],
    ['/workflows/order', ['Outline'], '.outline'],
    [`/sessions/${session}`, ['Actions'], '[role=menu]'],
    [`/sessions/${session}`, ['Actions', 'Move…'], 'dialog input'],
    [`/sessions/${session}`, ['Actions', 'Cancel…'], 'dialog input'],
    [`/sessions/${session}?step=root`, ['Run again from here…'], 'dialog'],
    [`/sessions?q=${session}`, ['Choose all that are loaded', 'Do something with it…', 'How fast, how many'], 'dialog select'],
  ]
}

/** press clicks what has this name, a button, an entry of a menu, a box to tick or the head of what opens below it. */
async function press(page: Page, name: string) {
  const named = { name, exact: true }
  await page.getByRole('button', named).or(page.getByRole('menuitem', named)).or(page.getByRole('checkbox', named)).or(page.locator('summary', { hasText: name })).first().click({ timeout: 20_000 })
}

test('no dialog has a serious accessibility fault or a fault of layout, in light, dark and high contrast', async ({ page, server }) => {
  test.setTimeout(300_000)
  const id = `${server.mark}-dialogs`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: { name: 'Ada', pieces: 1, urgent: true } }) // it then stands at another step, and the first has a visit to fork from
  for (const [path, presses, ready] of dialogs(id)) {
    await page.emulateMedia({ colorScheme: 'light', contrast: 'no-preference' })
    await page.goto(server.address + path)
    for (const name of presses) await press(page, name)
    await page.locator(ready).first().waitFor()
    const what = `${path}, ${presses.join(', ')}`
    expect.soft(await layoutFaults(page), what).toEqual([])
    expect.soft(await seriousFaults(page), `${what}, light`).toEqual([])
    await theme(page, 'dark')
    expect.soft(await seriousFaults(page), `${what}, dark`).toEqual([])
    await page.evaluate(() => (document.documentElement.dataset.contrast = 'more'))
    expect.soft(await seriousFaults(page), `${what}, dark, high contrast`).toEqual([])
  }
})

test('forced colours keep what is chosen, pressed, focused and wrong apart, in light and dark', async ({ page, server }) => {
  const id = `${server.mark}-forced`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ forcedColors: 'active', colorScheme })
    for (const [path, ready] of pages(id)) {
      await page.goto(server.address + path)
      await page.locator(ready).first().waitFor()
      expect.soft(await forcedFaults(page), `${path}, ${colorScheme}`).toEqual([])
    }
  }
})

/** forcedFaults lists what looks alike where the system chooses the colours: a control without a border, and a state that only a background showed. */
function forcedFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = []
    const look = (e: Element) => {
      const s = getComputedStyle(e)
      return [s.borderTopWidth, s.borderTopStyle, s.borderBottomColor, s.borderTopColor, s.outlineStyle, s.outlineWidth, s.backgroundColor, s.fontWeight, s.textDecorationLine].join()
    }
    const shown = (e: Element) => e.checkVisibility() && e.getBoundingClientRect().width > 1
    for (const e of document.querySelectorAll('.button:not(.quiet), .chip, .card, input:not([type=range], [type=file], [type=checkbox], [type=radio]), select, textarea')) {
      if (shown(e) && getComputedStyle(e).borderTopStyle === 'none') faults.push(`no border: ${e.outerHTML.slice(0, 120)}`)
    }
    for (const state of ['aria-selected', 'aria-pressed', 'aria-current']) {
      for (const on of document.querySelectorAll(`[${state}=true], [${state}=page]`)) {
        const kin = [...(on.closest('[role=tablist], .rail ul, .status-chips, .flow-tools') ?? on.parentElement!).querySelectorAll(on.tagName)]
        const off = kin.find((e) => e !== on && shown(e) && e.className.split(' ')[0] === on.className.split(' ')[0] && !['true', 'page'].includes(e.getAttribute(state) ?? ''))
        if (off && shown(on) && look(off) === look(on)) faults.push(`${state} cannot be seen: ${on.outerHTML.slice(0, 120)}`)
      }
    }
    const first = document.querySelector<HTMLElement>('main button:enabled, main a[href]')
    first?.focus()
    if (first && document.activeElement === first && first.matches(':focus-visible') && getComputedStyle(first).outlineStyle === 'none') faults.push('the focus cannot be seen')
    return faults
  })
}

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
