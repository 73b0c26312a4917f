/** A person logs in through the page at a real issuer, comes back to where they were, and logs out again. */
import { expect, it } from 'vitest'
import { pageFiles } from '../../src/edge/http/page/page-files.ts'
import { loginServer } from '../server/login-server.ts'
import { testBrowser } from './browser.ts'

const browser = testBrowser()

it('a page that wants to know who asks leads to the issuer and back, and its button ends the session', async () => {
  await using at = await loginServer({ serving: { page: pageFiles() } })
  const place = `${at.server.url}/?q=status%3Afailed`
  await using tab = await browser.open(place)
  tab.expects(401, 404, /net::ERR_NAME_NOT_RESOLVED/)
  const { page } = tab
  await page.getByRole('link', { name: 'Log in' }).click()
  await page.locator('input[name="login"]').fill('ana')
  await page.locator('input[name="password"]').fill('x')
  await page.locator('button[type="submit"]').click()
  await page.waitForURL((url) => url.href === place || url.pathname.startsWith('/interaction'))
  if (page.url() !== place) await page.locator('button[type="submit"]').click()
  await page.waitForURL(place)
  await page.getByText(/^ana @ /).waitFor()
  expect((await page.context().cookies()).find(({ name }) => name.startsWith('keelson-session'))).toMatchObject({
    httpOnly: true,
    sameSite: 'Lax',
  })
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('heading', { name: 'Who asks?' }).waitFor()
  const acts = await page.evaluate('fetch("/v1/me").then(({ status }) => status)')
  expect(acts).toBe(401)
})
