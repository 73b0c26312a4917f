/** A part of the page that is loaded when it is first opened: it waits for a server that is away, and what is broken stays in its place. */
import { expect, it } from 'vitest'
import { servedPage, testBrowser } from './browser.ts'

const browser = testBrowser()
const PLANS = /\/assets\/plans-page-[^/]*\.js$/

it('a page that is opened first while the server is away comes by itself when the server is back, and the rest stays', async () => {
  await using server = await servedPage()
  await using tab = await browser.open(server.url)
  tab.expects(/net::ERR_/, /Unable to preload CSS/)
  const { page } = tab
  await page.getByText('No run yet.').waitFor()
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Plans', exact: true }).click()
  await page.getByText('the server does not answer').waitFor()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Runs', exact: true }).click()
  await page.getByRole('heading', { name: 'Runs' }).or(page.getByText('No run yet.')).first().waitFor()
  await page.getByRole('link', { name: 'Plans', exact: true }).click()
  expect(await page.getByRole('alert').filter({ hasText: 'cannot be shown' }).count()).toBe(0)
  await page.context().setOffline(false)
  await page.getByRole('link', { name: 'Write a new plan' }).waitFor()
})

it('a part that the server does not have any more says so in its place, and the rest of the page stays', async () => {
  await using server = await servedPage()
  await using tab = await browser.open(server.url)
  tab.expects(404, /Failed to fetch dynamically imported module/)
  const { page } = tab
  await page.getByText('No run yet.').waitFor()
  await page.route(PLANS, (route) => route.fulfill({ status: 404 }))
  await page.getByRole('link', { name: 'Plans', exact: true }).click()
  const alert = page.getByRole('alert').filter({ hasText: 'This part of the page cannot be shown' })
  await alert.getByRole('button', { name: 'Try again' }).waitFor()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Runs', exact: true }).click()
  await page.getByRole('heading', { name: 'Runs' }).or(page.getByText('No run yet.')).first().waitFor()
})
