import { arrowTo, reach } from './keys'
import { expect, order, test } from './server'

test.beforeAll(async ({ server }) => {
  await server.call('PUT', '/workflows/order', order)
})

test('find what waits and answer it, by keyboard alone', async ({ page, server }) => {
  const id = `${server.mark}-inbox`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
  await page.goto(server.address + `/inbox?workflow=order&q=${id}`)
  await reach(page, page.getByRole('button', { name: /Fill in the order/ }).first())
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Your name')).toBeFocused()
  await page.keyboard.type('Ada')
  await page.keyboard.press('Tab')
  await page.keyboard.type('11')
  await page.keyboard.press('Enter')
  await expect(page.locator('.fault')).toHaveText('From 1 to 5.')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('3')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Sent. The session goes on.')).toBeVisible()
  await expect.poll(async () => (await server.call<{ status: string }>('GET', `/sessions/${id}`)).status).toBe('complete')
})

test('approve with changes', async ({ page, server }) => {
  const id = `${server.mark}-approve`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'approval', id })
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: 'We move' })
  await page.goto(server.address + `/sessions/${id}`)
  await expect(page.getByRole('region', { name: 'What is to be approved' })).toContainText('We move')
  await page.getByRole('button', { name: 'Approve with changes…' }).click()
  await page.getByRole('textbox', { name: 'message' }).fill('We move on Monday')
  await page.getByRole('button', { name: 'Approve with these changes' }).click()
  await expect(page.locator('.line').getByText('We move on Monday')).toBeVisible()
  await expect(page.locator('.bar').getByText('Complete')).toBeVisible()
})

test('say kindly that somebody else was faster', async ({ page, server }) => {
  const id = `${server.mark}-late`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'hello', id })
  await page.goto(server.address + `/inbox?q=${id}`)
  await page.locator('.inbox-row').first().click()
  await page.getByLabel('Your answer').fill('Ada')
  await page.route('**/answer', async (route) => {
    await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: 'Grace' })
    await expect(page.locator('.inbox-row')).toHaveCount(0) // the list has noticed; what was typed stays
    await route.continue()
  })
  await Promise.all([page.waitForRequest('**/answer'), page.keyboard.press('Enter')])
  await expect(page.locator('.inbox-row')).toHaveCount(0)
  await expect(page.getByText('Somebody else was faster.')).toBeVisible()
})

test('start a workflow and watch it, by keyboard alone', async ({ page, server }) => {
  await page.goto(server.address + '/workflows/order')
  await expect(page.locator('.react-flow__node')).toHaveCount(4)
  await reach(page, page.getByRole('button', { name: 'Start' }))
  await page.keyboard.press('Enter')
  await reach(page, page.getByRole('dialog').getByRole('button', { name: 'Start' }))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/sessions\//)
  await expect(page.locator('[data-id=root] .is-awaiting_input')).toBeVisible()
  await reach(page, page.getByLabel('Your name'))
  await page.keyboard.type('Grace')
  await page.keyboard.press('Tab')
  await page.keyboard.type('2')
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-id=end] .is-complete')).toBeVisible()
  await expect(page.locator('[data-id=ship] .is-skipped')).toBeVisible()
  await expect(page.locator('.line').getByText('Thanks Grace')).toBeVisible()
  await page.reload()
  await expect(page.locator('[data-id=end] .is-complete')).toBeVisible()
})

test('find why a session is stuck and mend it, by keyboard alone', async ({ page, server }) => {
  const id = `${server.mark}-stuck`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: { name: 'Ada', pieces: 1, urgent: true } })
  await page.goto(server.address + `/sessions?workflow=order&q=${id}`)
  await reach(page, page.getByRole('link', { name: id }))
  await page.keyboard.press('Enter')
  await expect(page.locator('.why')).toContainText('end.message')
  await reach(page, page.getByRole('button', { name: 'Actions' }))
  await page.keyboard.press('Enter')
  await reach(page, page.getByRole('menuitem', { name: 'Move…' }))
  await page.keyboard.press('Enter')
  for (const [field, value] of [
    ['From', 'ship'],
    ['To', 'end'],
  ]) {
    await reach(page, page.getByRole('combobox', { name: field, exact: true }))
    await page.keyboard.press('Control+A')
    await page.keyboard.type(value)
  }
  await reach(page, page.getByRole('button', { name: 'Preview' }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status', { name: 'Preview' })).toContainText('Runs: end')
  await reach(page, page.getByRole('dialog').getByRole('button', { name: 'Move' }))
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-id=end] .is-complete')).toBeVisible()
})

test('inspect a visit, its lineage, its Cypher and how it came about, by keyboard alone', async ({ page, server }) => {
  const id = `${server.mark}-look`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: { name: 'Ada', pieces: 1 } })
  await page.goto(server.address + `/sessions/${id}`)
  await page.locator('[data-id=check] .is-complete').waitFor()
  await reach(page, page.locator('[data-id=check]'))
  await page.keyboard.press('Enter')
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await expect(inspector).toContainText('Thanks Ada')
  await reach(page, inspector.getByRole('tab', { selected: true }))
  await arrowTo(page, inspector.getByRole('tab', { name: 'Input' }))
  await expect(inspector).toContainText('@{SESSION_ID}.root.response.name')
  await expect(inspector.locator('.lineage')).toContainText('What is wanted?')
  await reach(page, inspector.getByRole('button', { name: 'Show Cypher' }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toContainText("MATCH (s:STEP {workflow: 'order', id: 'check'})")
  if (process.env.STUDIO_STORE === 'neo4j') await expect(page.getByRole('link', { name: 'Open in Neo4j Browser' }).first()).toHaveAttribute('href', /cmd=edit&arg=MATCH/)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await reach(page, page.getByRole('slider', { name: 'Moment' }))
  await page.keyboard.press('Home')
  await expect(page.locator('[data-id=check] .is-idle')).toBeVisible()
  await page.keyboard.press('End')
  await expect(page.locator('[data-id=check] .is-complete')).toBeVisible()
})

test('a batch over a filter, by keyboard alone: dry run first, then for real', async ({ page, server }) => {
  const label = `${server.mark}-batch`
  for (let i = 0; i < 5; i++) await server.call('POST', '/sessions?wait=10s', { workflow: 'hello', labels: { run: label } })
  await page.goto(server.address + `/sessions?label=${encodeURIComponent(JSON.stringify([`run=${label}`]))}`)
  await expect(page.getByRole('row')).toHaveCount(6)
  await reach(page, page.getByLabel('Choose all that are loaded'))
  await page.keyboard.press('Space')
  await reach(page, page.getByRole('button', { name: 'Do something with them…' }))
  await page.keyboard.press('Enter')
  await reach(page, page.getByLabel('Action'))
  await page.keyboard.type('Answer')
  await reach(page, page.getByLabel('Answer (a text, or JSON)'))
  await page.keyboard.type('Ada')
  await reach(page, page.getByRole('button', { name: 'Dry run first' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText('dry run: nothing was done')).toBeVisible()
  await expect(page.getByText(/would be/).first()).toBeVisible()
  await reach(page, page.getByRole('button', { name: 'Do it now…' }))
  await page.keyboard.press('Enter')
  await reach(page, page.getByLabel('Answer (a text, or JSON)'))
  await page.keyboard.type('Ada')
  await reach(page, page.getByRole('button', { name: 'Answer 5 sessions' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText('dry run: nothing was done')).toBeHidden()
  await expect(page.getByRole('tab', { name: 'Done 5' })).toBeVisible()
})

test('counts on a step open the sessions that stand there', async ({ page, server }) => {
  const workflow = `${server.mark}-counts`
  await server.call('PUT', `/workflows/${workflow}`, order)
  for (const urgent of [true, true, false]) {
    const s = await server.call<{ id: string }>('POST', '/sessions?wait=10s', { workflow })
    if (urgent) await server.call('POST', `/sessions/${s.id}/answer?wait=10s`, { response: { name: 'Ada', pieces: 1, urgent } })
  }
  await page.goto(`${server.address}/workflows/${workflow}`)
  await expect(page.locator('[data-id=root]')).toContainText('1 waits here')
  await page.locator('[data-id=ship]').getByRole('button', { name: '2 are pending here: ship' }).click()
  await expect(page.getByRole('row')).toHaveCount(3)
})

test('changes of a session are read out', async ({ page, server }) => {
  const id = `${server.mark}-spoken`
  await server.call('POST', '/sessions?wait=10s', { workflow: 'order', id })
  await page.goto(`${server.address}/sessions/${id}`)
  await expect(page.locator('[data-id=root] .is-awaiting_input')).toBeVisible()
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: { name: 'Ada', pieces: 1 } })
  await expect(page.getByRole('status', { name: 'Changes' })).toContainText('The session is now: complete')
})
