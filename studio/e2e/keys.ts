import type { Locator, Page } from '@playwright/test'

/** More presses than any page has places, so that a place that cannot be reached is an error soon. */
const MOST_PRESSES = 150

const focused = (to: Locator) => to.evaluate((e) => e === document.activeElement)

async function press(page: Page, key: string, to: Locator, most: number) {
  await to.waitFor()
  for (let n = 0; n < most; n++) {
    if (await focused(to)) return
    await page.keyboard.press(key)
  }
  throw new Error(`${key} does not reach ${to}; the focus is on ${await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200))}`)
}

/** reach goes to a control as a person without a mouse does: by Tab, from where the focus is. */
export const reach = (page: Page, to: Locator) => press(page, 'Tab', to, MOST_PRESSES)

/** arrowTo goes within a list of tabs, which is one stop of Tab. */
export const arrowTo = (page: Page, to: Locator) => press(page, 'ArrowRight', to, 12)
