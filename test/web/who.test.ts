/** Who asks, and where one is, over the time that a page is open: keys are revoked, servers come back, and one goes back and forth. */
import { expect, it } from 'vitest'
import { localUser } from '../../src/edge/http/who/who-asks.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { SAGA, testSteps } from './plans.ts'

const browser = testBrowser()

it('asks who one is as soon as the server does not know it any more, and goes on at the same place', async () => {
  let isKnown = true
  const who = localUser(true)
  await using server = await servedPage(
    {},
    {
      who: (asked) =>
        isKnown || asked.header('authorization') === 'Bearer kls_new' ? who(withoutKey(asked)) : undefined,
    },
  )
  await using tab = await browser.open(`${server.url}/queue?limit=none`)
  const { page } = tab
  tab.expects(401, 404)
  await page.getByText('local @ local').waitFor()
  isKnown = false
  await page.getByRole('heading', { name: 'Who asks?' }).waitFor()
  await page.getByText('The server does not know you any more').waitFor()
  expect(page.url()).toBe(`${server.url}/queue?limit=none`)
  await page.getByLabel('API key').fill('kls_new')
  await page.getByRole('button', { name: 'Enter' }).click()
  await page.getByText('local @ local').waitFor()
  expect(page.url()).toBe(`${server.url}/queue?limit=none`)
  expect(await page.getByRole('heading', { name: 'Who asks?' }).count()).toBe(0)
})

type Credentials = Parameters<ReturnType<typeof localUser>>[0]

/** The local user has none. */
const withoutKey = (asked: Credentials): Credentials => ({
  ...asked,
  header: (name) => (name === 'authorization' ? undefined : asked.header(name)),
})

it('asks again who one is when a server that was away is back', async () => {
  await using server = await servedPage()
  await using tab = await browser.open('about:blank')
  const { page } = tab
  tab.expects(/net::ERR_/)
  await page.route('**/v1/me', (route) => route.abort('connectionrefused'), { times: 1 })
  await page.goto(server.url)
  await page.getByText('local @ local').waitFor()
  await page.getByText('No run yet.').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

it('writes its address also after one has gone back', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(SAGA, LOCAL)
  const id = await start(server, 'saga')
  await ended(server, id)
  await using tab = await browser.open(server.url)
  const { page, troubles } = tab
  await page.getByRole('link', { name: 'saga' }).first().click()
  await page.waitForURL(`**/runs/${id}`)
  const cursor = page.getByLabel('Event', { exact: true })
  await cursor.waitFor()
  // The cursor moves, and the browser goes back before that is written.
  await page.evaluate(`(() => {
    window.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' }))
    window.history.back()
  })()`)
  await page.getByLabel('Filter runs').fill('plan:saga')
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('plan:saga')
  expect(troubles).toEqual([])
})

it('reads a run and the plans as soon as the server answers, without being loaded anew', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(SAGA, LOCAL)
  const id = await start(server, 'saga')
  await ended(server, id)
  await using tab = await browser.open('about:blank')
  const { page } = tab
  tab.expects(/net::ERR_/)
  const lost = new RegExp(`/v1/executions/${id}\\?with=row`)
  await page.route(lost, (route) => route.abort('connectionreset'), { times: 1 })
  await page.goto(`${server.url}/runs/${id}`)
  await page.getByRole('alert').getByText('SERVER_UNREACHABLE').waitFor()
  await page.getByRole('status', { name: 'Status of the run' }).getByText('failed').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.getByRole('link', { name: 'Plans' }).click()
  await page.getByRole('link', { name: 'Start saga' }).waitFor()
  await server.publish(SAGA.replace('plan: saga', 'plan: other'), LOCAL)
  await page.getByRole('link', { name: 'Start other' }).waitFor()
})

it('keeps the page below a dialog from taking its keys', async () => {
  await using server = await servedPage()
  await using tab = await browser.open(server.url)
  const { page, troubles } = tab
  await page.getByText('No run yet.').waitFor()
  await page.keyboard.press('?')
  const map = page.getByRole('dialog')
  // The focus is then with no part of the dialog.
  await map.getByRole('heading').first().click()
  await page.evaluate('document.activeElement?.blur()')
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.keyboard.press('Escape')
  await map.waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).toBe('/')
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.waitForURL('**/tasks')
  expect(troubles).toEqual([])
})
