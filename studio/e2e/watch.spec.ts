import type { Page } from '@playwright/test'
import { seriousFaults } from './axe'
import { layoutFaults } from './boxes'
import { expect, order, test } from './server'

/** Both themes, on a desk and on a phone: nothing that is inaccessible, cut off or covered. */
async function looksRight(page: Page, name: string) {
  for (const [width, height] of [[1440, 900], [390, 844]]) {
    await page.setViewportSize({ width, height })
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      if (process.env.STUDIO_LOOK) await page.screenshot({ path: `${process.env.STUDIO_LOOK}/${name}-${width}-${scheme}.png` })
      expect(await seriousFaults(page), `${name} ${scheme} ${width}`).toEqual([])
      expect(await layoutFaults(page), `${name} ${scheme} ${width}`).toEqual([])
    }
  }
}

const thanking = (message: string) => ({ ...order, steps: order.steps.map((s) => (s.id === 'check' ? { ...s, input: { message } } : s)) })

test('a step that was edited since is marked while the session is open, and the inspector leads to the difference', async ({ page, server }) => {
  const workflow = `${server.mark}-edited`
  const id = `${server.mark}-edited1`
  const put = (message: string) => server.call('PUT', `/workflows/${workflow}`, thanking(message))
  await put('Thanks @{SESSION_ID}.root.response.name')
  await server.call('POST', '/sessions?wait=10s', { workflow, id })
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: { name: 'Ada', pieces: 1 } })
  await page.goto(`${server.address}/sessions/${id}?step=check`)
  await expect(page.locator('[data-id=check] .is-complete')).toBeVisible()
  const tag = page.locator('.edited')
  await expect(tag).toHaveCount(0)
  await put('Many thanks, @{SESSION_ID}.root.response.name')
  await expect(page.locator('[data-id=check] .edited')).toHaveText('edited')
  await expect(page.locator('[data-id=check] .edited')).toHaveAttribute('title', /Edited since this session ran it/)
  await expect(tag, 'only that step').toHaveCount(1)
  const since = page.getByRole('region', { name: 'Edited since' })
  const toggle = since.getByRole('button', { name: /the difference$/ })
  await expect(toggle, 'what changes while the page is open is shown at once').toHaveAttribute('aria-expanded', 'true')
  await toggle.focus()
  await page.keyboard.press('Enter')
  await expect(toggle).toHaveAttribute('aria-expanded', 'false')
  await page.keyboard.press('Enter')
  const changes = since.getByRole('list', { name: 'Differences of step, then and now' })
  await expect(changes).toContainText('+ "Many thanks, ')
  await expect(changes.locator('.change-head')).toHaveText('input.message changed')
  await looksRight(page, 'edited')
  await page.setViewportSize({ width: 1440, height: 900 })
  await put('Thanks @{SESSION_ID}.root.response.name')
  await expect(tag, 'it is what ran again').toHaveCount(0)
  await expect(since).toHaveCount(0)
})

test('a picker of the rounds of a container leads to the visits of its body and back, by keyboard alone', async ({ page, server }) => {
  const workflow = `${server.mark}-rounds`
  const id = `${server.mark}-round`
  await server.call('PUT', `/workflows/${workflow}`, {
    steps: [
      { id: 'root', name: 'Each city', function: 'iterate', input: { items: ['Paris', 'Rome', 'Oslo'] } },
      { id: 'look', name: 'Look', function: 'template', input: { template: 'city @{SESSION_ID}.root.item' } },
      { id: 'again', name: 'Look again', function: 'template', input: { template: 'still @{SESSION_ID}.look.text' } },
      { id: 'end', function: 'reply', input: { message: 'Done.' } },
    ],
    paths: [
      { source: 'root', target: 'look', kind: 'CONTAINS' },
      { source: 'root', target: 'again', kind: 'CONTAINS' },
      { source: 'look', target: 'again' },
      { source: 'root', target: 'end' },
    ],
  })
  await server.call('POST', '/sessions?wait=10s', { workflow, id })
  await page.goto(`${server.address}/sessions/${id}?step=root`)
  const rounds = page.getByRole('region', { name: 'Rounds' })
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await expect(rounds).toContainText('of 3')
  await expect(rounds.getByRole('combobox', { name: 'Round' }), 'the newest first').toHaveValue('3')
  await rounds.getByRole('button', { name: 'Round before' }).focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/round=2/)
  await expect(rounds.getByRole('list', { name: 'Visits of round 2' }).getByRole('button')).toHaveText(['Look ×2', 'Look again ×2'])
  await looksRight(page, 'rounds')
  await page.setViewportSize({ width: 1440, height: 900 })
  await rounds.getByRole('button', { name: 'Look ×2' }).focus()
  await page.keyboard.press('Enter')
  await expect(inspector).toContainText('city Rome')
  await inspector.getByRole('button', { name: '2 of Each city' }).focus()
  await page.keyboard.press('Enter')
  await expect(rounds.getByRole('combobox', { name: 'Round' })).toHaveValue('2')
  await page.reload()
  await expect(rounds.getByRole('combobox', { name: 'Round' }), 'the address holds the round').toHaveValue('2')
})

/** warehouse is an agent with a tool; what its system text asks for, the recorded model plays. */
const warehouse = {
  steps: [
    { id: 'root', function: 'utils.request.request', input: { prompt: 'What can the warehouse do for you?' } },
    { id: 'clerk', name: 'The clerk', function: 'agent', input: { system: 'You look after a warehouse. Use your tools; never guess a number. Answer in one sentence.', prompt: '@{SESSION_ID}.root.response' } },
    { id: 'stock', name: 'Look at the shelves', function: 'utils.code.code', input: { code: 'result = {"lamps": 14}.get(variables.get("item", ""), 0)' } },
    { id: 'order', name: 'Order more', function: 'template', input: { template: 'ordered' } },
  ],
  paths: [
    { source: 'root', target: 'clerk' },
    { source: 'clerk', target: 'stock', kind: 'TOOL', name: 'stock', extra: { parameters: '{"type": "object", "properties": {"item": {"type": "string"}}}' } },
    { source: 'clerk', target: 'order', kind: 'TOOL', name: 'order' },
  ],
}

test('the rounds of an agent show what each cost and called, and the tools of the chosen round light up', async ({ page, server }) => {
  const workflow = `${server.mark}-agent`
  const id = `${server.mark}-agent1`
  await server.call('PUT', `/workflows/${workflow}`, warehouse)
  await server.call('POST', '/sessions?wait=10s', { workflow, id })
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: 'How many lamps are there?' })
  await page.goto(`${server.address}/sessions/${id}?step=clerk`)
  const rounds = page.getByRole('region', { name: 'Rounds' })
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await expect(rounds.getByRole('button', { name: /^Round/ })).toHaveCount(2)
  await expect(rounds.getByRole('button', { name: /^Round 2/ }), 'the newest is open').toHaveAttribute('aria-expanded', 'true')
  const stock = page.locator('.react-flow__edge[data-id="clerk>stock:TOOL"] .react-flow__edge-path')
  await expect(stock, 'a tool that was called').toHaveClass(/taken/)
  await expect(stock).not.toHaveClass(/lit/)
  await rounds.getByRole('button', { name: /^Round 1/ }).focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/round=1/)
  await expect(rounds.getByRole('button', { name: /^Round 1/ })).toContainText(/\d+ in, \d+ out · 1 call/)
  await expect(stock).toHaveClass(/lit/)
  await expect(page.locator('.path.lit')).toHaveCount(1)
  const call = rounds.getByRole('group', { name: 'Call of stock' })
  await expect(call.getByLabel('Arguments of stock')).toContainText('lamps')
  await expect(call.getByLabel('Output of stock')).toContainText('14')
  await expect(inspector.locator('.facts')).toContainText('in 2 rounds')
  await expect(inspector.getByRole('combobox', { name: 'Attempt' }), 'rounds are not attempts').toHaveCount(0)
  await looksRight(page, 'agent-rounds')
  await page.setViewportSize({ width: 1440, height: 900 })
  await call.getByRole('button', { name: 'Look at the shelves' }).click()
  await expect(inspector.getByRole('heading', { level: 2 })).toHaveText('Look at the shelves')
  await inspector.getByRole('button', { name: 'round 1 of The clerk' }).click()
  await expect(rounds.getByRole('button', { name: /^Round 1/ })).toHaveAttribute('aria-expanded', 'true')
})

test('what somebody else changes while the page is open is named, old and new, in the line, on the canvas and in the inspector', async ({ page, server }) => {
  const workflow = `${server.mark}-changing`
  const put = (condition: string, more: object[] = []) =>
    server.call('PUT', `/workflows/${workflow}`, { ...order, steps: [...thanking('Thank you').steps, ...more], paths: [order.paths[0], { source: 'check', target: 'ship', condition }, order.paths[2]] })
  await put('when 1 == 2')
  await page.goto(`${server.address}/workflows/${workflow}?path=${encodeURIComponent('check>ship')}`)
  await expect(page.locator('.path-label')).toContainText(['1 is 2'])
  const bar = page.getByRole('status', { name: 'Changed since you opened this page' })
  await expect(bar).toBeEmpty()
  await put('when 1 == 3', [{ id: 'more', name: 'One more', function: 'reply', input: { message: 'x' } }])
  await expect(bar).toContainText('One more added')
  await expect(page.locator('.path-label.changed')).toHaveText('1 is 2 → 1 is 3')
  await expect(page.getByRole('list', { name: /^Changes of the path/ })).toContainText('- "when 1 == 2"')
  await expect(page.getByRole('list', { name: /^Changes of the path/ })).toContainText('+ "when 1 == 3"')
  await expect(page.locator('[data-id=more] .edited')).toHaveText('new')
  await bar.locator('summary').click()
  await expect(bar).toContainText('condition: when 1 == 2 → when 1 == 3')
  await looksRight(page, 'changing')
  await page.setViewportSize({ width: 1440, height: 900 })
  await bar.getByRole('button', { name: 'One more' }).click()
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText('was made since you opened this page')
  await bar.getByRole('button', { name: 'Seen' }).click()
  await expect(bar).toBeEmpty()
  await expect(page.locator('.edited, .path-label.changed')).toHaveCount(0)
  await server.call('DELETE', `/workflows/${workflow}/steps/more`)
  await expect(bar).toContainText('One more removed')
})

test('the inspector is as wide as a pointer or the keyboard made it, and the neighbours of the chosen card stay in view', async ({ page, server }) => {
  const workflow = `${server.mark}-wide`
  const id = `${server.mark}-wide1`
  const steps = ['root', 'b', 'c', 'd', 'e', 'f', 'g'].map((s) => ({ id: s, function: 'variable', input: { value: 1 } }))
  await server.call('PUT', `/workflows/${workflow}`, { steps, paths: steps.slice(1).map((s, i) => ({ source: steps[i].id, target: s.id })) })
  await server.call('POST', '/sessions?wait=10s', { workflow, id })
  await page.goto(`${server.address}/sessions/${id}`)
  await page.locator('[data-id=c]').click()
  await expect(page.locator('.inspector')).toBeVisible()
  for (const card of ['b', 'c', 'd']) {
    await expect
      .poll(async () => {
        const c = (await page.locator(`[data-id=${card}]`).boundingBox())!
        const stage = (await page.locator('.stage').boundingBox())!
        return c.x >= stage.x && c.x + c.width <= stage.x + stage.width
      }, `${card} is in view`)
      .toBe(true)
  }
  const edge = page.getByRole('separator', { name: 'Width of the inspector' })
  const width = async () => Math.round((await page.locator('.inspector').boundingBox())!.width)
  const before = await width()
  await edge.focus()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(width).toBe(before + 24)
  const at = (await edge.boundingBox())!
  await page.mouse.move(at.x + 4, at.y + 100)
  await page.mouse.down()
  await page.mouse.move(at.x - 56, at.y + 100)
  await page.mouse.up()
  await expect.poll(width).toBe(before + 84)
  await page.reload()
  await expect(page.locator('.inspector')).toBeVisible()
  expect(await width(), 'it is remembered').toBe(before + 84)
  await edge.focus()
  await page.keyboard.press('Home')
  await expect.poll(width).toBe(220)
})

test('a reply in Markdown is shown as it was written, and the head counts the steps that are done', async ({ page, server }) => {
  const workflow = `${server.mark}-raw`
  const id = `${server.mark}-raw1`
  await server.call('PUT', `/workflows/${workflow}`, {
    steps: [
      { id: 'root', function: 'reply', input: { message: '# Plan\n- **first** step\n- second' } },
      { id: 'more', function: 'reply', input: { message: 'Only words.' } },
      { id: 'never', function: 'reply', input: { message: 'x' } },
    ],
    paths: [{ source: 'root', target: 'more' }, { source: 'more', target: 'never', condition: "when 'a' == 'b'" }],
  })
  await server.call('POST', '/sessions?wait=10s', { workflow, id })
  await page.goto(`${server.address}/sessions/${id}`)
  await expect(page.locator('.bar-facts')).toContainText('2 of 3 steps done')
  const raw = page.getByRole('button', { name: 'Raw' })
  await expect(raw, 'a text without Markdown has none').toHaveCount(1)
  await expect(page.locator('.line strong')).toHaveText('first')
  await raw.focus()
  await page.keyboard.press('Enter')
  await expect(page.locator('.line .raw')).toHaveText('# Plan\n- **first** step\n- second')
  await expect(page.locator('.line strong')).toHaveCount(0)
  await looksRight(page, 'raw')
  await raw.click()
  await expect(page.locator('.line strong')).toHaveText('first')
})

/** countFills counts how often a card has begun and ended its fill, and notes that it was marked as just completed. */
function countFills() {
  const seen: Record<string, number> = {}
  Object.assign(globalThis, { seen })
  new MutationObserver((all) => {
    for (const { target } of all) if (target instanceof Element && target.matches('.card.is-complete.fresh')) seen[`fresh ${target.closest('[data-id]')?.getAttribute('data-id')}`] = 1
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ['class'] })
  for (const type of ['animationstart', 'animationend']) {
    document.addEventListener(type, (e) => {
      if ((e as AnimationEvent).animationName !== 'fill') return
      const id = `${type} ${(e.target as Element).closest('[data-id]')?.getAttribute('data-id')}`
      seen[id] = (seen[id] ?? 0) + 1
    })
  }
}

for (const motion of ['no-preference', 'reduce'] as const) {
  test(`a card that completes is filled ${motion === 'reduce' ? 'at once where the system asks for no motion' : 'once'}`, async ({ page, server }) => {
    const workflow = `${server.mark}-fill`
    const id = `${server.mark}-fill-${motion}`
    await server.call('PUT', `/workflows/${workflow}`, order)
    await server.call('POST', '/sessions?wait=10s', { workflow, id })
    await page.emulateMedia({ reducedMotion: motion })
    await page.addInitScript(countFills)
    await page.goto(`${server.address}/sessions/${id}`)
    await expect(page.locator('[data-id=root] .is-awaiting_input')).toBeVisible()
    await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: { name: 'Ada', pieces: 1 } })
    const seen = () => page.evaluate(() => (globalThis as unknown as { seen: Record<string, number> }).seen)
    await expect.poll(async () => (await seen())['fresh root']).toBe(1)
    await expect(page.locator('[data-id=root] .is-complete:not(.fresh)'), 'the mark has gone').toBeVisible()
    const { 'animationstart root': begun, 'animationend root': ended } = await seen()
    expect([begun, ended]).toEqual(motion === 'reduce' ? [undefined, undefined] : [1, 1])
  })
}
