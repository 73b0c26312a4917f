/** Acts on all runs that match, as a person does them in a real browser: previewed, begun, followed to their end, and aborted. */
import { expect, it } from 'vitest'
import { LOCAL, ended, servedPage, start, testBrowser } from './browser.ts'
import { GATED, SAGA, testSteps } from './plans.ts'

const browser = testBrowser()

it('shows what a pause of all that match would do and who refuses why, pauses them, and tells what became of each', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps }, { hasClockwork: true })
  for (const plan of [GATED, SAGA]) await server.publish(plan, LOCAL)
  const failed = await start(server, 'saga')
  await ended(server, failed)
  for (let at = 0; at < 3; at += 1) await start(server, 'gated')
  await using tab = await browser.open(server.url)
  const { page, troubles } = tab
  const acts = page.getByRole('group', { name: 'All runs that match' })
  await acts.getByText('Say by the filter which runs are meant.').waitFor()
  expect(await acts.getByRole('button').count()).toBe(0)
  await page.getByLabel('Filter runs').fill('since:1h gated')
  await acts.getByText('A word without a name').waitFor()
  expect(await acts.getByRole('button', { name: 'Pause …' }).isDisabled()).toBe(true)
  await page.getByLabel('Filter runs').fill('since:1h')
  await acts.getByRole('button', { name: 'Pause …' }).click()
  expect(new URL(page.url()).searchParams.get('act')).toBe('PAUSE')
  const dialog = page.getByRole('dialog', { name: 'Pause all runs that match' })
  await dialog.getByText('4 runs match').waitFor()
  await dialog.getByText('would refuse: RUN_TERMINAL').waitFor()
  await dialog.getByRole('list', { name: 'Runs that would refuse' }).getByText('the run has ended').waitFor()
  await dialog.getByLabel('Reason').fill('stock count')
  await dialog.getByRole('button', { name: 'Pause 4 runs' }).click()
  await page.waitForURL('**/operations/*')
  await page.getByRole('status', { name: 'State of the operation' }).getByText('finished').waitFor()
  await page.getByText('4 of 4 runs had their turn').waitFor()
  await page.getByText(': stock count').waitFor()
  await page.getByRole('list', { name: 'Runs that refused' }).getByText('RUN_TERMINAL').waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Pause 4 runs' }).waitFor()
  await page.getByRole('link', { name: '← operations' }).click()
  await page.getByRole('link', { name: 'Pause 4 runs' }).waitFor()
  await page.goto(`${server.url}/?q=status%3Apaused`)
  await expect.poll(() => page.locator('tbody tr').count()).toBe(3)
  await page.goBack()
  gate.open()
  expect(troubles).toEqual([])
})

it('aborts an act whose runs have not had their turn, with the reason', async () => {
  const { steps, gate } = testSteps()
  // Nobody carries operations on here, so that it stays at its beginning.
  await using server = await servedPage({ steps })
  await server.publish(GATED, LOCAL)
  await start(server, 'gated')
  await using tab = await browser.open(`${server.url}/?q=plan%3Agated&act=CANCEL`)
  const { page, troubles } = tab
  await page.getByRole('button', { name: 'Cancel 1 run' }).click()
  await page.getByRole('status', { name: 'State of the operation' }).getByText('under way').waitFor()
  await page.getByLabel('Reason to abort').fill('the wrong plan')
  // Enter in a field is no decision.
  await page.getByLabel('Reason to abort').press('Enter')
  await page.getByText('under way').waitFor()
  await page.getByRole('button', { name: 'Abort' }).click()
  await page
    .getByRole('status', { name: 'State of the operation' })
    .getByText(/^aborted by .*: the wrong plan$/)
    .waitFor()
  await page.getByText('never had their turn').waitFor()
  gate.open()
  expect(troubles).toEqual([])
})
