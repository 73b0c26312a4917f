/** API keys in a real browser: a secret is shown once, a revoked key is refused, and who may not is told so. */
import { expect, it } from 'vitest'
import { pageFiles } from '../../src/edge/http/page/page-files.ts'
import { ANA, served } from '../server/served.ts'
import { servedPage, testBrowser, type Tab } from './browser.ts'

const browser = testBrowser()

async function enter({ page }: Tab, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Enter' }).click()
}

it('makes a key whose secret is shown once, and revokes it after asking', async () => {
  await using server = await servedPage()
  await using tab = await browser.open(server.url)
  const { page, troubles } = tab
  await page.getByRole('button', { name: 'Operate' }).press('Enter')
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  await page.getByText('No key yet.').waitFor()
  await page.getByRole('button', { name: 'New key' }).click()
  expect(new URL(page.url()).searchParams.get('new')).toBe('1')
  await page.getByLabel('What it is for').fill('robot')
  await page.getByLabel('Operator', { exact: true }).check()
  await page.getByRole('button', { name: 'Make the key' }).click()
  const made = page.getByRole('region', { name: 'The new key' })
  const secret = (await made.locator('code').textContent()) ?? ''
  expect(secret).toMatch(/^kls_/)
  await made.getByRole('button', { name: 'I have it' }).click()
  const row = page.getByRole('row').filter({ hasText: 'robot' })
  await row.getByText('viewer, Operator').waitFor()
  await row.getByText('never').waitFor()
  expect(await page.content()).not.toContain(secret)
  await row.getByRole('button', { name: /^Revoke / }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('It is recorded as an act of local').waitFor()
  await dialog.getByRole('button', { name: 'Leave it' }).click()
  expect((await server.call('GET /v1/keys', { as: '' })).body.keys[0].revokedAt).toBeUndefined()
  await row.getByRole('button', { name: /^Revoke / }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await row.getByText('revoked').waitFor()
  expect((await server.call('GET /v1/keys', { as: '' })).body.keys[0].revokedAt).toEqual(expect.any(String))
  expect(troubles).toEqual([])
})

it('tells a role that may not see keys why, and an administrator what the server refuses', async () => {
  await using server = await served({}, { page: pageFiles() })
  await using tab = await browser.open(`${server.url}/keys?new=1`)
  tab.expects(401, 403, 404)
  const { page } = tab
  await enter(tab, 'acme.vic.viewer')
  await page.getByText('Your role viewer may not do this (RBAC_ROLE_ASSIGN).').waitFor()
  await page.getByRole('button', { name: 'Forget the key' }).click()
  await enter(tab, ANA)
  await page.getByLabel('What it is for').fill('robot')
  await page.getByLabel('server-operator').check()
  await page.getByRole('button', { name: 'Make the key' }).click()
  await page.getByRole('alert').getByText('AUTHZ_DENIED').waitFor()
  await page.getByText('correlation id').waitFor()
})

it('opens and closes the menu of operators by keyboard, also on a narrow screen', async () => {
  await using server = await servedPage()
  await using tab = await browser.open(server.url, { viewport: { width: 360, height: 700 } })
  const { page, troubles } = tab
  const button = page.getByRole('button', { name: /^Operate/ })
  const link = page.getByRole('link', { name: 'Keys', exact: true })
  await button.focus()
  expect(await link.isVisible()).toBe(false)
  await page.keyboard.press('Enter')
  await link.waitFor()
  const box = await link.boundingBox()
  expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 999) <= 360).toBe(true)
  await page.keyboard.press('Escape')
  await link.waitFor({ state: 'hidden' })
  expect(await button.evaluate((one) => one.ownerDocument.activeElement === one)).toBe(true)
  await page.keyboard.press('Enter')
  await link.press('Enter')
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  await page.getByRole('button', { name: 'Operate: Keys' }).waitFor()
  expect(await link.isVisible()).toBe(false)
  expect(troubles).toEqual([])
})
