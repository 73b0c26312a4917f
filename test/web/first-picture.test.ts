/** What is seen before and without the program of the page: the right theme at once; and names that are cut, whole. */
import { expect, it } from 'vitest'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { testSteps } from './plans.ts'

const browser = testBrowser()

/** What `getComputedStyle` says of the page's ground. */
const GROUND = 'getComputedStyle(document.body).backgroundColor'
const DARK = 'rgb(20, 24, 29)'
const LIGHT = 'rgb(255, 255, 255)'

it('is dark on a dark system before any script has run, and follows the system until somebody chooses', async () => {
  await using server = await servedPage()
  await using tab = await browser.open('about:blank', { colorScheme: 'dark' })
  const { page } = tab
  tab.expects(/net::ERR_/)
  await page.route('**/*.js', (route) => route.abort())
  await page.goto(server.url)
  expect(await page.evaluate(GROUND)).toBe(DARK)
  await page.unroute('**/*.js')
  await page.goto(server.url)
  await page.getByRole('button', { name: 'Use the light theme' }).waitFor()
  await page.emulateMedia({ colorScheme: 'light' })
  await page.getByRole('button', { name: 'Use the dark theme' }).waitFor()
  expect(await page.evaluate(GROUND)).toBe(LIGHT)
})

it('has the theme that was chosen before anything is drawn, under a policy without unsafe rules', async () => {
  await using server = await servedPage()
  await using tab = await browser.open(server.url, { colorScheme: 'light' })
  const { page, troubles } = tab
  await page.getByRole('button', { name: 'Use the dark theme' }).click()
  expect(await page.evaluate(GROUND)).toBe(DARK)
  await page.addInitScript(`
    new MutationObserver((_, seen) => {
      if (document.querySelector('#page > *') === null) return
      window.firstTheme = document.documentElement.dataset.theme
      seen.disconnect()
    }).observe(document, { childList: true, subtree: true })
  `)
  const answer = await page.goto(server.url)
  await page.getByRole('button', { name: 'Use the light theme' }).waitFor()
  expect(await page.evaluate('window.firstTheme')).toBe('dark')
  expect(await page.evaluate(GROUND)).toBe(DARK)
  expect(await page.locator('head script').getAttribute('blocking')).toBe('render')
  expect(answer?.headers()['content-security-policy']).not.toContain('unsafe')
  expect(troubles).toEqual([])
})

it('tells the whole name of a step that is too long for its place in the graph', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  const name = 'reserve-everything-in-the-warehouse'
  await server.publish(
    `plan: long\nversion: 1.0.0\nsteps: [{ id: ${name}, run: echo }, { id: short, run: echo }]\n`,
    LOCAL,
  )
  const id = await start(server, 'long')
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  const { page } = tab
  await page.getByRole('button', { name: /^reserve-every\S*…/ }).waitFor()
  const titles = await page.locator('.node title').allTextContents()
  expect(titles.map((title) => title.split(' ')[0])).toEqual([name])
  const when = page.getByRole('group', { name: 'Time cursor' }).locator('time')
  expect(await when.getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\dT/)
  expect(await when.getAttribute('datetime')).toBe(await when.getAttribute('title'))
})
