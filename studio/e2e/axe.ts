import type { Page } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  impact: string
  nodes: { html: string; failureSummary: string }[]
}

/** seriousFaults runs axe on what the page shows, or on the dialog that is open: what is behind it cannot be used. It goes in by the debugger: the page's policy lets no foreign script in. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(source)
  const violations = await page.evaluate(async () => {
    const axe = (globalThis as unknown as { axe: { run: (on: ParentNode) => Promise<{ violations: unknown[] }> } }).axe
    return (await axe.run(document.querySelector('dialog[open]') ?? document)).violations
  })
  return (violations as Violation[])
    .filter((v) => v.impact === 'serious' || v.impact === 'critical')
    .map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160) + ' ' + n.failureSummary).join(' | ').slice(0, 900)}`)
}
