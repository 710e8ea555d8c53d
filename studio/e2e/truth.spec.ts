import { seriousFaults } from './axe'
import { layoutFaults } from './boxes'
import { expect, order, test } from './server'

test('a condition is judged on a session of the past, and so are the paths beside it', async ({ page, server }) => {
  const workflow = `${server.mark}-truth`
  await server.call('PUT', `/workflows/${workflow}`, order)
  const [urgent, plain] = [`${server.mark}-urgent`, `${server.mark}-plain`]
  for (const id of [urgent, plain]) {
    await server.call('POST', '/sessions?wait=10s', { workflow, id })
    await server.call('POST', `/sessions/${id}/answer?wait=10s`, { response: { name: 'Ada', pieces: 1, ...(id === urgent ? { urgent: true } : {}) } })
  }
  await page.goto(`${server.address}/workflows/${workflow}?step=check`)
  await page.locator('.path-list li', { hasText: 'Ship it' }).locator('.path-words').focus()
  await page.keyboard.press('Enter')
  const truth = page.getByRole('region', { name: 'Judged on a session' })
  const labels = page.locator('.path-label')
  await expect(truth.getByRole('status'), 'the newest one never said whether it is urgent').toContainText('lacks a value, so the path stays closed')
  await expect(truth.getByRole('cell', { name: 'no value', exact: true }).last()).toBeVisible()
  await expect(truth).toContainText('True in 1 of the last 2 sessions')
  await expect(labels.filter({ hasText: 'no value' })).toHaveCount(1)
  await expect(labels.filter({ hasText: 'true' })).toHaveCount(1)
  const picker = truth.getByLabel('Session to judge it on')
  const share = truth.getByLabel('Sessions that the share is computed over')
  await expect(share).toHaveValue('100')
  const [asked] = await Promise.all([page.waitForRequest((r) => r.url().endsWith('/whatif')), share.selectOption('500')])
  expect(asked.postDataJSON()).toMatchObject({ limit: 500 })
  await expect(truth).toContainText('True in 1 of the last 2 sessions')
  await picker.selectOption(urgent)
  await expect(truth.getByRole('status')).toContainText('is true')
  await expect(labels.filter({ hasText: 'false' })).toHaveCount(1)
  const cut = await labels.evaluateAll((all) => all.flatMap((l) => [...l.querySelectorAll('b')].filter((b) => b.getBoundingClientRect().right > l.getBoundingClientRect().right + 1).map((b) => b.textContent)))
  expect(cut, 'the result is readable however long the words are').toEqual([])
  await page.reload()
  await expect(picker, 'the address holds the session').toHaveValue(urgent)
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await expect(truth.getByRole('status')).toContainText('is true')
    if (process.env.STUDIO_LOOK) await page.screenshot({ path: `${process.env.STUDIO_LOOK}/truth-${scheme}.png` })
    expect(await seriousFaults(page), scheme).toEqual([])
    expect(await layoutFaults(page), scheme).toEqual([])
  }
  await picker.selectOption('none')
  await expect(truth.getByRole('status')).toHaveCount(0)
  await expect(labels.filter({ hasText: /true|false|no value/ })).toHaveCount(0)
})
