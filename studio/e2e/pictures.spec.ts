import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from './server'

/** The pictures of README and docs: the pages are looked at always, written with STUDIO_PICTURES=1. */
const folder = resolve(import.meta.dirname, '../../docs/studio')

test('the pages that the documentation shows', async ({ page, server }) => {
  const write = process.env.STUDIO_PICTURES === '1'
  if (write) mkdirSync(folder, { recursive: true })
  const shoot = async (name: string) => {
    await page.waitForTimeout(300)
    if (write) await page.screenshot({ path: `${folder}/${name}.png`, caret: 'hide' })
  }
  const id = `${server.mark}-picture`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'approval', id, labels: { team: 'office' } })
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: 'The office moves on Monday.' })
  await page.goto(server.address + `/sessions/${id}`)
  await expect(page.locator('[data-id=publish] .is-awaiting_input')).toBeVisible()
  await shoot('session')
  await page.goto(server.address + '/workflows/iterate')
  await expect(page.locator('.react-flow__node')).toHaveCount(6)
  await shoot('workflow')
})
