import type { Page } from '@playwright/test'
import { expect, order, test } from './server'

const ON_NEO4J = process.env.STUDIO_STORE === 'neo4j'

// Without Neo4j there is no statement to run: only the note for the other stores is looked at.
if (ON_NEO4J) {
  test('an edit by Cypher is shown on the canvas that is open', async ({ page, server }) => {
    const workflow = `${server.mark}-edited`
    await server.call('PUT', `/workflows/${workflow}`, order)
    await page.goto(`${server.address}/workflows/${workflow}?step=end`)
    await expect(page.locator('.react-flow__node')).toHaveCount(4)
    await cypher(`MATCH (s:STEP {workflow: $workflow, id: 'end'}) SET s.name = 'Named by Cypher', s.input = '{"message": "changed by Cypher"}'`, { workflow })
    await expect(page.locator('[data-id=end]')).toContainText('Named by Cypher')
    await expect(page.locator('.inspector')).toContainText('changed by Cypher')
    await cypher(`MATCH (s:STEP {workflow: $workflow, id: 'end'}) CREATE (s)-[:NEXT]->(:STEP {workflow: $workflow, id: 'after', name: 'Made by Cypher', function: 'variable', input: '{"value": 1}'})`, { workflow })
    await expect(page.locator('[data-id=after]')).toContainText('Made by Cypher')
    await expect(page.locator('.react-flow__node')).toHaveCount(5)
    await cypher(`MATCH (s:STEP {workflow: $workflow, id: 'after'}) DETACH DELETE s`, { workflow })
    await expect(page.locator('.react-flow__node')).toHaveCount(4)
  })

  test('every statement that Studio shows runs, finds what the page shows, and opens in Neo4j Browser', async ({ page, server }) => {
    const workflow = `${server.mark}-cypher`
    const id = `${server.mark}-o'clock`
    await server.call('PUT', `/workflows/${workflow}`, order)
    await server.call('POST', '/sessions?wait=10s', { workflow, id })
    await server.call('POST', `/sessions/${encodeURIComponent(id)}/answer?wait=10s`, { response: { name: 'Ada', pieces: 1, urgent: true } })
    const waits = await server.call<{ id: string }>('POST', '/sessions?wait=10s', { workflow })
    for (const [path, ready, finds] of [
      ['/workflows', '.workflow-row', workflow],
      [`/workflows/${workflow}`, '.card', workflow],
      [`/workflows/${workflow}?step=check`, '.inspector h2', 'check'],
      [`/workflows/${workflow}?path=${encodeURIComponent('check>ship')}`, '.inspector h2', 'urgent'],
      [`/sessions/${encodeURIComponent(id)}`, '.card', 'check'],
      [`/sessions?workflow=${workflow}&status=${encodeURIComponent('["pending"]')}`, '.table .tr', id],
      [`/sessions?workflow=${workflow}&awaiting=true&step=root`, '.table .tr', waits.id],
      [`/inbox?workflow=${workflow}`, '.inbox-row', waits.id],
    ]) {
      await page.goto(server.address + path)
      await page.locator(ready).first().waitFor()
      const statements = await shown(page)
      expect(statements.length, path).toBeGreaterThan(0)
      let found = ''
      for (const statement of statements) found += await cypher(statement.replace(/\nSET [^\n]*/, '')) // a change has a placeholder for its value
      expect(found, path).toContain(finds)
    }
    await page.getByRole('link', { name: 'Open in Neo4j Browser' }).first().waitFor()
    const link = (await page.getByRole('link', { name: 'Open in Neo4j Browser' }).first().getAttribute('href'))!
    expect(link).toMatch(/cmd=edit&arg=MATCH/)
    expect((await fetch(link)).headers.get('content-type')).toContain('text/html')
  })
} else {
  test('where the store is another one, the statements say so and no link leads to Neo4j Browser', async ({ page, server }) => {
    await page.goto(server.address + '/workflows')
    await page.locator('.workflow-row').first().waitFor()
    expect((await shown(page)).length).toBeGreaterThan(0)
    await expect(page.getByRole('dialog')).toContainText('The statements work where the store is Neo4j.')
    await expect(page.getByRole('link', { name: 'Open in Neo4j Browser' })).toHaveCount(0)
  })
}

/** shown opens the statements of the page and reads them. */
async function shown(page: Page): Promise<string[]> {
  const inspector = page.locator('.inspector')
  const from = (await inspector.count()) ? inspector : page.locator('main')
  await from.getByRole('button', { name: 'Show Cypher' }).first().click()
  await page.locator('dialog pre').first().waitFor()
  return page.locator('dialog pre').allTextContents()
}

/** cypher runs a statement on the store's own Neo4j, past stepgraph, and gives its rows as JSON. */
async function cypher(statement: string, parameters: object = {}): Promise<string> {
  const { NEO4J_BROWSER_URL, NEO4J_DATABASE, NEO4J_USERNAME, NEO4J_PASSWORD } = process.env
  const headers: Record<string, string> = { 'Content-Type': 'application/json', Accept: 'application/json' }
  if (NEO4J_PASSWORD) headers.Authorization = 'Basic ' + Buffer.from(`${NEO4J_USERNAME}:${NEO4J_PASSWORD}`).toString('base64')
  const address = new URL(`/db/${NEO4J_DATABASE || 'neo4j'}/query/v2`, NEO4J_BROWSER_URL)
  const got = await fetch(address, { method: 'POST', headers, body: JSON.stringify({ statement: statement.trim().replace(/;$/, ''), parameters }) })
  const text = await got.text()
  if (!got.ok) throw new Error(`${statement}: ${text}`)
  return text
}
