import { seriousFaults } from './axe'
import { layoutFaults } from './boxes'
import { type Server, expect, order, test } from './server'

let workflow = ''

test.beforeAll(async ({ server }) => {
  workflow = `${server.mark}-again`
  await server.call('PUT', `/workflows/${workflow}`, order)
})

async function done(server: Server, id: string) {
  await server.call('POST', '/sessions?wait=10s', { workflow, id })
  await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: { name: 'Ada', pieces: 1 } })
}

const status = async (server: Server, id: string) => (await server.call<{ status: string; version: number }>('GET', `/sessions/${id}`)).status

test('one step is run again in a fork, which is then taken on, by keyboard alone', async ({ page, server }) => {
  const id = `${server.mark}-one`
  await done(server, id)
  await page.goto(`${server.address}/sessions/${id}?step=check`)
  await page.getByRole('button', { name: 'Run again from here…' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByLabel(/In a fork/)).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByLabel('How far')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByLabel('How far')).toHaveValue('check')
  await expect(page.getByRole('dialog'), 'it says why there is no preview').toContainText('No preview: a dry run is possible only')
  await page.getByRole('button', { name: 'Run in a fork' }).focus()
  await page.keyboard.press('Enter')
  await expect(page).not.toHaveURL(new RegExp(id))
  await expect(page.locator('[data-id=check] .is-complete')).toBeVisible()
  await expect(page.locator('[data-id=end] .is-complete')).toHaveCount(0)
  await page.getByRole('button', { name: 'Go on…' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await expect(page.getByRole('status', { name: 'Preview' })).toContainText('Runs: end')
  await page.getByRole('dialog').getByRole('button', { name: 'Advance' }).click()
  await expect(page.locator('[data-id=end] .is-complete')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Go on…' })).toHaveCount(0)
})

test('a session goes back to before a visit, after a preview that changes nothing', async ({ page, server }) => {
  const id = `${server.mark}-back`
  await done(server, id)
  const before = await server.call('GET', `/sessions/${id}`)
  await page.goto(`${server.address}/sessions/${id}?step=check`)
  await page.getByRole('button', { name: 'Run again from here…' }).click()
  await page.getByLabel(/In this session/).check()
  await page.getByRole('button', { name: 'Preview' }).click()
  await expect(page.getByRole('status', { name: 'Preview' })).toContainText('Runs: check, end')
  expect(await server.call('GET', `/sessions/${id}`)).toEqual(before)
  await page.getByRole('button', { name: 'Go back and run' }).click()
  await expect(page.locator('[data-id=check]')).toContainText('×2')
  await expect.poll(() => status(server, id)).toBe('complete')
})

test('a step that failed is run again from the inspector', async ({ page, server }) => {
  const id = `${server.mark}-failed`
  const failing = `${server.mark}-failing`
  const sum = (expression: string) => ({ steps: [{ id: 'root', function: 'calculate', input: { expression } }, { id: 'end', function: 'reply', input: { message: 'Done.' } }], paths: [{ source: 'root', target: 'end' }] })
  await server.call('PUT', `/workflows/${failing}`, sum('1 / @{SESSION_ID}.initial.n'))
  await server.call('POST', '/sessions?wait=10s', { workflow: failing, id, inputs: { n: 0 } })
  await server.call('PUT', `/workflows/${failing}`, sum('1 + @{SESSION_ID}.initial.n'))
  await page.goto(`${server.address}/sessions/${id}?step=root`)
  await page.getByRole('complementary', { name: 'Inspector' }).getByRole('button', { name: 'Retry…' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await expect(page.getByRole('status', { name: 'Preview' })).toContainText('Runs: root, end')
  await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click()
  await expect(page.locator('[data-id=end] .is-complete')).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Attempt' })).toHaveValue('2')
})

test('a page of a session that had ended notices that somebody else took it on', async ({ page, server }) => {
  const id = `${server.mark}-other`
  await done(server, id)
  await page.goto(`${server.address}/sessions/${id}`)
  await expect(page.locator('[data-id=check] .is-complete')).toBeVisible()
  await server.call('POST', `/sessions/${id}/rollback?wait=10s`, { step: 'root' })
  await expect(page.locator('[data-id=root] .is-awaiting_input')).toBeVisible()
  await expect(page.getByLabel('Your name')).toBeVisible()
})

test('a workflow is run up to a step, before a step, and one step with values of the past', async ({ page, server }) => {
  await done(server, `${server.mark}-past`)
  const answer = async () => {
    await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click()
    await page.getByLabel('Your name').fill('Grace')
    await page.getByLabel('Pieces').fill('2')
    await page.getByRole('button', { name: 'Send answer' }).click()
  }
  await page.goto(`${server.address}/workflows/${workflow}?step=check`)
  await page.getByRole('button', { name: 'Run up to here…' }).click()
  await expect(page.getByRole('dialog')).toContainText('It ends after Thank')
  await expect(page.getByRole('dialog')).toContainText('No preview: a dry run needs a session that exists')
  await answer()
  await expect(page.locator('[data-id=check] .is-complete')).toBeVisible()
  await expect(page.locator('[data-id=end] .is-complete')).toHaveCount(0)

  await page.goto(`${server.address}/workflows/${workflow}?step=check`)
  await page.getByRole('button', { name: 'Stop before it…' }).click()
  await answer()
  await expect(page.getByRole('button', { name: 'Go on…' })).toBeVisible()
  await expect(page.locator('[data-id=check] .is-complete')).toHaveCount(0)

  await page.goto(`${server.address}/workflows/${workflow}?step=check`)
  await page.getByRole('button', { name: 'Run only this…' }).click()
  await page.getByLabel('Values of a past session').selectOption(`${server.mark}-past`)
  await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click()
  await expect(page.locator('.line').getByText('Thanks Ada')).toBeVisible()
  await expect(page.locator('[data-id=end] .is-complete')).toHaveCount(0)
})

test('the dialogs that run something again are accessible and nothing of them is cut off', async ({ page, server }) => {
  const id = `${server.mark}-axe`
  await done(server, id)
  for (const [width, height] of [[1440, 900], [390, 844]]) {
    await page.setViewportSize({ width, height })
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      for (const [key, path, button] of [
        ['again', `/sessions/${id}?step=check`, 'Run again from here…'],
        ['only', `/workflows/${workflow}?step=check`, 'Run only this…'],
      ]) {
        await page.goto(server.address + path)
        await page.getByRole('button', { name: button }).click()
        await expect(page.getByRole('dialog')).toBeVisible()
        if (process.env.STUDIO_LOOK) await page.screenshot({ path: `${process.env.STUDIO_LOOK}/${key}-${width}-${scheme}.png` })
        expect(await seriousFaults(page), `${key} ${scheme} ${width}`).toEqual([])
        expect(await layoutFaults(page), `${key} ${scheme} ${width}`).toEqual([])
      }
    }
  }
})
