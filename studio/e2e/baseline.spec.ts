import type { Page } from '@playwright/test'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, order, start, test } from './server'

/**
 * Four pages in two themes against the pictures in baseline/. Pixels depend on the browser and
 * the fonts, so baseline.json names those that the pictures were made with; with others only
 * the places of the parts are compared, and the test prints so. After a wanted change of a
 * page: npm run e2e baseline -- --update-snapshots=all.
 */
const FILE = resolve(import.meta.dirname, 'baseline/baseline.json')
/** Every time of the server becomes this one, and the browser's clock stands a minute later. */
const THEN = '2026-01-05T09:00:00Z'
const PAGES: [string, string, string][] = [
  ['workflow', '/workflows/order?step=check', '.inspector h2'],
  ['session', '/sessions/first?step=root', '.inspector h2'],
  ['inbox', '/inbox', '.inbox-row'],
  ['sessions', '/sessions', '.table .tr a'],
]
const PARTS = 'nav a, h1, h2, .card, .inbox-row, .tr, .inspector, .stage, .side, .button, [role=tab]'
/** How far a part may move with other fonts. */
const SLACK = 48

type Box = [part: string, x: number, y: number]

interface Baseline {
  made: string
  boxes: Record<string, Box[]>
}

/** system is what decides on pixels: the browser and the fonts that the pages ask for. */
function system(browser: string): string {
  const font = (name: string) => {
    try {
      return execFileSync('fc-match', ['-f', '%{family} %{style} %{fontversion}', name], { encoding: 'utf8' })
    } catch {
      return `${name} unknown` // a system without fontconfig
    }
  }
  return `Chromium ${browser}; ${font('system-ui')}; ${font('monospace')}`
}

function boxesOf(page: Page): Promise<Box[]> {
  return page.evaluate(
    (parts) =>
      [...document.querySelectorAll(parts)]
        .filter((e) => e.checkVisibility())
        .map((e): [string, number, number] => {
          const r = e.getBoundingClientRect()
          return [`${e.tagName.toLowerCase()}.${String(e.getAttribute('class')).split(' ')[0]}`, Math.round(r.x), Math.round(r.y)]
        }),
    PARTS,
  )
}

/** moved lists the parts that are not where they were: while a page opens, all that are still missing. */
function moved(boxes: Box[], want: Box[]): string[] {
  const parts = (list: Box[]) => list.map((b) => b[0]).join(' ')
  if (parts(boxes) !== parts(want)) return [`the parts are ${parts(boxes)}`, `they were ${parts(want)}`]
  return boxes.flatMap(([part, x, y], i) => (Math.hypot(x - want[i][1], y - want[i][2]) > SLACK ? [`${part} is at ${x} ${y}, was at ${want[i].slice(1).join(' ')}`] : []))
}

/** still makes all times the same: those that the server answers, and the browser's own. */
async function still(page: Page) {
  await page.clock.setFixedTime(Date.parse(THEN) + 60_000)
  await page.route(/\/api\/v1\/(?!.*(events|stream))/, async (route) => {
    const response = await route.fetch()
    const text = await response.text()
    await route.fulfill({ response, body: text.replace(/"20\d\d-\d\d-\d\dT[^"]*Z"/g, `"${THEN}"`).replace(/("last_executed": ?)\d+/g, `$1${Date.parse(THEN)}`) })
  })
}

test('four pages look as they did, in light and dark', async ({ page, browser }, info) => {
  test.skip(process.env.STUDIO_STORE === 'neo4j', 'the pages are the same on every store')
  const { server, stop } = await start('')
  const write = ['all', 'changed'].includes(info.config.updateSnapshots)
  const now = system(browser.version())
  const known = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Baseline) : { made: '', boxes: {} }
  const made: Baseline = { made: now, boxes: {} }
  const pixels = write || known.made === now
  if (!pixels) console.log(`baseline: places only, no pixels: made with ${known.made}, here is ${now}`)
  try {
    await server.call('PUT', '/workflows/order', order)
    for (const id of ['first', 'second']) await server.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
    await server.call('POST', '/sessions/first/answer?wait=10s', { response: { name: 'Ada', pieces: 1, urgent: false } })
    await still(page)
    for (const [name, path, ready] of PAGES) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.goto(server.address + path)
        await page.locator(ready).first().waitFor()
        if (pixels) await expect.soft(page).toHaveScreenshot(`${name}-${colorScheme}.png`, { maxDiffPixels: 40 })
        const key = `${name}-${colorScheme}`
        if (write) made.boxes[key] = await boxesOf(page)
        else await expect.soft.poll(async () => moved(await boxesOf(page), known.boxes[key] ?? []), { message: key, timeout: 10_000 }).toEqual([])
      }
    }
    if (write) writeFileSync(FILE, JSON.stringify(made))
  } finally {
    await stop()
  }
})
