import { seriousFaults } from './axe'
import { layoutFaults } from './boxes'
import { expect, test } from './server'

/** talk asks again until it is told to stop; its echo is a text of two lines and a list. */
const talk = {
  steps: [
    { id: 'root', name: 'Ask', function: 'request', input: { prompt: 'Say something, or stop' } },
    { id: 'echo', name: 'Echo', function: 'variable', input: { value: { said: '@{SESSION_ID}.root.response', text: 'Dear reader,\nyou said: @{SESSION_ID}.root.response', fixed: [1, 2, 3] } } },
    { id: 'end', function: 'reply', input: { message: 'Bye.' } },
  ],
  paths: [
    { source: 'root', target: 'echo', condition: "when @{SESSION_ID}.root.response != 'stop'" },
    { source: 'root', target: 'end', condition: "when @{SESSION_ID}.root.response == 'stop'" },
    { source: 'echo', target: 'root' },
  ],
}

test.beforeAll(async ({ server }) => {
  await server.call('PUT', '/workflows/talk', talk)
})

async function talked(server: { call: (m: string, p: string, b?: unknown) => Promise<unknown> }, id: string, answers: string[]) {
  await server.call('POST', '/sessions?wait=10s', { workflow: 'talk', id })
  for (const response of answers) await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response })
}

test('two visits of a step are compared, by keyboard alone, and the address holds the choice', async ({ page, server }) => {
  const id = `${server.mark}-compare`
  await talked(server, id, ['red', 'green', 'blue', 'stop'])
  await page.goto(`${server.address}/sessions/${id}`)
  await page.locator('[data-id=echo]').focus()
  await page.keyboard.press('Enter')
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.getByRole('tab', { name: 'Output' }).focus()
  await page.keyboard.press('ArrowLeft') // round to the last tab
  await expect(inspector.getByRole('tab', { name: 'Compare' })).toBeFocused()
  const output = inspector.getByRole('list', { name: 'Differences of output' })
  await expect(output.locator('.change-head', { hasText: 'value.said' })).toBeVisible()
  await expect(output).toContainText('- "green"')
  await expect(output).toContainText('+ "blue"')
  await expect(output, 'what is the same is left out').not.toContainText('fixed')
  await expect(inspector.getByRole('list', { name: 'Differences of input as resolved' })).toContainText('you said: blue')
  await inspector.getByRole('combobox', { name: 'Before' }).focus()
  await page.keyboard.press('ArrowUp')
  await expect(output).toContainText('- "red"')
  await expect(page).toHaveURL(/compare=\d+\.\.\d+/)
  await page.reload()
  await expect(output, 'a link to it shows the same').toContainText('- "red"')
  await inspector.getByRole('button', { name: 'Swap the two' }).click()
  await expect(output).toContainText('+ "red"')
})

test('outputs that the state keeps are compared with each other and with visits', async ({ page, server }) => {
  const id = `${server.mark}-kept`
  await talked(server, id, ['1', '2', '3', '4', '5', '6', '7'])
  await page.goto(`${server.address}/sessions/${id}?step=echo&compare=-5..-1`)
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await expect(inspector.getByRole('combobox', { name: 'Before' }).locator('optgroup[label="Outputs in the state"] option')).toHaveCount(5)
  const output = inspector.getByRole('list', { name: 'Differences of output' })
  await expect(output).toContainText('- "3"')
  await expect(output).toContainText('+ "7"')
  await inspector.getByRole('combobox', { name: 'Before' }).selectOption({ label: 'Output [-1], the newest' })
  await expect(inspector.locator('.compare-result')).toContainText('no difference')
  await page.goto(`${server.address}/sessions/${id}?step=root&compare=`)
  await expect(inspector.getByRole('list', { name: 'Differences of output' }), 'also of a step that waits just now').toContainText('response')
})

test('the comparison has no serious accessibility fault and nothing cut off, in either theme, on a desk and a phone', async ({ page, server }) => {
  const id = `${server.mark}-compare-axe`
  await talked(server, id, ['a', 'b', 'stop'])
  for (const [width, height] of [[1440, 900], [390, 844]]) {
    await page.setViewportSize({ width, height })
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.goto(`${server.address}/sessions/${id}?step=echo&compare=`)
      await expect(page.locator('.changes').first()).toBeVisible()
      await page.locator('.compare').scrollIntoViewIfNeeded()
      if (process.env.STUDIO_LOOK) await page.screenshot({ path: `${process.env.STUDIO_LOOK}/compare-${width}-${scheme}.png` })
      expect(await seriousFaults(page), `${scheme} ${width}`).toEqual([])
      expect(await layoutFaults(page), `${scheme} ${width}`).toEqual([])
    }
  }
})
