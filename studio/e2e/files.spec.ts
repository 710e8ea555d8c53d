import type { Page } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { seriousFaults } from './axe'
import { layoutFaults } from './boxes'
import { expect, order, test } from './server'

const TOKEN = 'a-token-for-this-test-that-is-long-enough'

/** canvas is a file of NebulaFlow: one text, shown. */
const canvas = JSON.stringify({ nodes: [{ id: 'hello', type: 'text-format', position: { x: 0, y: 0 }, data: { content: 'Hello' } }], edges: [] })

const dialog = (page: Page) => page.getByRole('dialog')
const would = (page: Page) => page.getByRole('status', { name: 'What it would do' })

/** drop lets go of files over the page, as a file manager does. */
async function drop(page: Page, files: { name: string; text: string }[]) {
  const data = await page.evaluateHandle((list) => {
    const transfer = new DataTransfer()
    for (const f of list) transfer.items.add(new File([f.text], f.name))
    return transfer
  }, files)
  await page.locator('.page').dispatchEvent('drop', { dataTransfer: data })
}

async function exported(page: Page, entry: string): Promise<{ name: string; text: string }> {
  await page.getByRole('button', { name: 'Export or share' }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: entry, exact: true }).click()])
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
}

test('a workflow leaves in each format, and comes back as it was', async ({ page, server }) => {
  const workflow = `${server.mark}-file`
  await server.call('PUT', `/workflows/${workflow}`, order)
  await page.goto(`${server.address}/workflows/${workflow}`)
  const files = []
  for (const [entry, ending] of [
    ['Cypher file', '.cypher'],
    ['JSON file', '.json'],
    ['YAML file', '.yaml'],
    ['Mermaid diagram', '.mmd'],
    ['Graphviz diagram', '.dot'],
  ]) {
    const file = await exported(page, entry)
    expect(file.name).toBe(workflow + ending)
    expect(file.text, file.name).toMatch(/ship/i)
    files.push(file)
  }
  await page.goto(server.address + '/workflows')
  for (const [i, file] of files.slice(0, 3).entries()) {
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByLabel('File', { exact: true }).setInputFiles({ name: file.name, mimeType: 'text/plain', buffer: Buffer.from(file.text) })
    await expect(would(page)).toContainText(['Read as Cypher', 'Read as stepgraph JSON', 'Read as stepgraph YAML'][i])
    await expect(would(page)).toContainText('Unchanged')
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog(page)).toHaveCount(0)
  }
  await page.getByRole('button', { name: 'Import' }).click()
  const edited = files[1].text.replace('It is on its way.', 'It is gone.').replace('"ship"', '"send"').replace('"target": "ship"', '"target": "send"')
  await page.getByLabel('File', { exact: true }).setInputFiles({ name: files[1].name, mimeType: 'text/plain', buffer: Buffer.from(edited) })
  const names = would(page).getByRole('list', { name: `Changes of ${workflow}` })
  await expect(names).toContainText('new step send')
  await expect(names).toContainText('removed step ship')
  await expect(names).toContainText('removed path check>ship')
  await names.locator('summary', { hasText: 'changed step end' }).click()
  await expect(names.getByRole('list', { name: 'Changes of step end' })).toContainText('+ "It is gone."')
  expect(await seriousFaults(page)).toEqual([])
  expect(await layoutFaults(page)).toEqual([])
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await server.call('DELETE', `/workflows/${workflow}`)
  await drop(page, [files[0]])
  await expect(would(page)).toContainText('New')
  await expect(would(page)).toContainText('4 steps added')
  await dialog(page).getByRole('button', { name: 'Import', exact: true }).click()
  await dialog(page).getByRole('link', { name: workflow }).click()
  await expect(page.locator('.react-flow__node')).toHaveCount(4)
})

test('files dropped together are imported one by one, and one from another system leaves in its format', async ({ page, server }) => {
  const [one, two] = [`${server.mark}-one`, `${server.mark}-two`]
  await page.goto(server.address + '/workflows')
  await expect(page.locator('.workflow-row').first()).toBeVisible()
  await drop(page, [
    { name: `${one}.json`, text: canvas },
    { name: `${two}.cypher`, text: "CREATE (:STEP {id: 'root', function: 'variable', input: '{\"value\": 1}'})" },
  ])
  await expect(would(page)).toContainText('Read as NebulaFlow')
  const accept = dialog(page).getByRole('button', { name: /^Import( it with its errors)?$/ }).and(page.locator(':enabled')).first()
  await accept.click()
  await dialog(page).getByRole('button', { name: `Next file: ${two}.cypher` }).click()
  await expect(would(page)).toContainText(two)
  await dialog(page).getByRole('button', { name: 'Import', exact: true }).click()
  await expect(page.getByRole('status', { name: 'Imported' })).toContainText(two)
  await page.goto(`${server.address}/workflows/${one}`)
  const file = await exported(page, 'NebulaFlow file')
  expect(file.name).toBe(`${one}.json`)
  expect(JSON.parse(file.text)).toMatchObject({ nodes: [{ id: 'hello' }] })
})

test('a pasted text is previewed, its errors lead to their lines, and nothing of it is lost', async ({ page, context, server }) => {
  const id = `${server.mark}-pasted`
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(server.address + '/workflows')
  await expect(page.locator('.workflow-row').first()).toBeVisible()
  const broken = `CREATE (a:STEP {workflow: '${id}', id: 'root', function: 'variable', input: '{"value": 1}'})\nCREATE (b:STEP {workflow: '${id}', id: 'b', function: 'nothing like this'})`
  await page.evaluate((text) => navigator.clipboard.writeText(text), broken)
  await page.locator('main').focus()
  await page.keyboard.press('Control+v')
  const text = page.getByRole('textbox', { name: /^(or paste the text|What is in it)$/ })
  await expect(text).toHaveValue(broken)
  await expect(dialog(page).getByRole('alert')).toContainText('nothing like this')
  await expect(dialog(page).getByRole('button', { name: 'Import', exact: true })).toBeDisabled()
  await expect(dialog(page).getByRole('button', { name: 'Import it with its errors' })).toBeEnabled()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme)
    expect(await seriousFaults(page)).toEqual([])
  }
  expect(await layoutFaults(page)).toEqual([])
  await dialog(page).getByRole('button', { name: 'Line 2' }).click()
  await expect(text).toBeFocused()
  expect(await text.evaluate((t: HTMLTextAreaElement) => t.value.slice(0, t.selectionStart).split('\n').length)).toBe(2)

  await page.keyboard.press('Escape')
  await expect(dialog(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Import' }).click()
  await expect(text).toHaveValue(broken)
  await text.fill(broken.replace('nothing like this', 'variable').replace(", function: 'variable'})", ", function: 'variable', input: '{\"value\": 2}'})"))
  await expect(would(page)).toContainText('2 steps added')
  await page.getByLabel('Save under another id').fill(`${id}-2`)
  await expect(would(page).locator('.imported > li > b')).toHaveText(`${id}-2`)
  await dialog(page).getByRole('button', { name: 'Import', exact: true }).click()
  await dialog(page).getByRole('link', { name: `${id}-2` }).click()
  await expect(page.locator('.react-flow__node')).toHaveCount(2)

  await page.getByRole('button', { name: 'Export or share' }).click()
  await page.getByRole('menuitem', { name: 'Copy the workflow' }).click()
  await expect(page.getByText('The workflow was copied.')).toBeVisible()
  await page.goto(server.address + '/workflows')
  await page.locator('.workflow-row').first().waitFor()
  await page.locator('main').focus()
  await page.keyboard.press('Control+v')
  await expect(would(page)).toContainText('Read as stepgraph JSON')
  await expect(would(page)).toContainText('Unchanged')
  await page.getByLabel('Format').selectOption('Cypher')
  await expect(dialog(page).getByRole('alert')).toContainText('Line 1')
})

test('a text that is no workflow, and a file that is no text, are refused with the reason', async ({ page, server }) => {
  await page.goto(server.address + '/workflows')
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByLabel('or paste the text').fill('# Notes')
  await expect(dialog(page).getByRole('alert')).toContainText('not a workflow file of a known format')
  await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'picture.json', mimeType: 'image/png', buffer: Buffer.from([0x89, 0x50, 0xff, 0xfe]) })
  await expect(dialog(page).getByRole('alert')).toHaveText('picture.json is not a text in UTF-8.')
  await expect(dialog(page).getByRole('button', { name: 'Import', exact: true })).toBeDisabled()
})

test('a link to a view opens it, also where one has to sign in first', async ({ page, context, locked }) => {
  await locked.call('PUT', '/workflows/order', order)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${locked.address}/workflows/order?step=check&overlay=traffic&since=7d#token=${TOKEN}`)
  await expect(page.locator('.inspector h2')).toBeVisible()
  await page.getByRole('button', { name: 'Export or share' }).click()
  await page.getByRole('menuitem', { name: 'Copy the link to this view' }).click()
  await expect(page.getByText('The link to this view was copied.')).toBeVisible()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(link).not.toContain('token')
  const other = await context.browser()!.newContext()
  const guest = await other.newPage()
  await guest.goto(link)
  await guest.getByLabel('Token').fill(TOKEN)
  await guest.keyboard.press('Enter')
  await expect(guest.locator('.inspector h2')).toContainText('Thank')
  await expect(guest.getByLabel('Overlay', { exact: true })).toHaveValue('traffic')
  await expect(guest.getByLabel('Time of the overlay')).toHaveValue('7d')
  await other.close()
})

test('an unknown address has a page with a way back', async ({ page, server }) => {
  for (const path of ['/nothing', '/nothing/at/all', '/batches/a/b']) {
    await page.goto(server.address + path)
    await expect(page.getByRole('heading', { name: 'There is no page at this address' }), path).toBeVisible()
    expect(await seriousFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'Go to workflows' }).click()
    await expect(page.locator('.workflow-row').first()).toBeVisible()
  }
})
