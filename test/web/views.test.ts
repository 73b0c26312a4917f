/** Saved views of the list of runs in a real browser: made, shared, changed, taken away, and sent to somebody as a link. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { pageFiles } from '../../src/edge/http/page/page-files.ts'
import { ANA, BOB, served } from '../server/served.ts'
import { seriousIn } from './axe.ts'
import { ended, LOCAL, servedPage, start, testBrowser, type Tab } from './browser.ts'
import { THEMES, widthsIn } from './looks.ts'
import { GATED, SAGA, testSteps } from './plans.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()

const views = (page: Page) => page.getByRole('navigation', { name: 'Saved views' })
const filter = (page: Page) => page.getByLabel('Filter runs')

async function save(page: Page, name: string, isShared: boolean): Promise<void> {
  await page.getByRole('button', { name: 'Save as view' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Save as view' })
  await dialog.getByLabel('Name').fill(name)
  if (isShared) await dialog.getByRole('checkbox').press('Space')
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await views(page).getByRole('link', { name, exact: true }).and(page.locator('[aria-current=page]')).waitFor()
}

async function enter({ page }: Tab, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Enter' }).click()
}

it('keeps a filter under a name, opens it by its link, changes it and takes it away, by keyboard', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  for (const plan of [SAGA, GATED]) await server.publish(plan, LOCAL)
  await ended(server, await start(server, 'saga'))
  await start(server, 'gated')
  await using tab = await browser.open(server.url)
  const { page, troubles } = tab
  await page.getByRole('button', { name: 'failed 1' }).waitFor()
  expect(await page.getByRole('button', { name: 'Save as view' }).isDisabled()).toBe(true)
  await filter(page).fill('status:failed plan:saga')
  await save(page, 'what failed', false)
  const link = page.url()
  expect(Object.fromEntries(new URL(link).searchParams)).toEqual({
    q: 'status:failed plan:saga',
    view: expect.stringMatching(/^what-failed-[0-9a-f]{8}$/),
  })
  await views(page).getByRole('link', { name: 'All runs' }).press('Enter')
  await page.getByRole('row').filter({ hasText: 'gated' }).waitFor()
  expect(await filter(page).inputValue()).toBe('')
  await views(page).getByRole('link', { name: 'what failed' }).press('Enter')
  await page.getByRole('row').filter({ hasText: 'gated' }).waitFor({ state: 'detached' })
  expect(await filter(page).inputValue()).toBe('status:failed plan:saga')
  await filter(page).fill('status:failed')
  await views(page).getByText('changed').waitFor()
  await page.getByRole('button', { name: 'Change view' }).press('Enter')
  await page.getByRole('dialog').getByLabel('Name').fill('all that failed')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).press('Enter')
  await views(page).getByRole('link', { name: 'all that failed' }).waitFor()
  // A link without the filter gets the one that is kept; the old one still says what it said.
  const viewId = new URL(link).searchParams.get('view') ?? ''
  await page.goto(`${server.url}/?view=${viewId}`)
  await page.getByRole('button', { name: 'Remove status:failed' }).waitFor()
  await page.goto(link)
  await views(page).getByText('changed').waitFor()
  expect(await filter(page).inputValue()).toBe('status:failed plan:saga')
  await page.getByRole('button', { name: 'Remove view' }).press('Enter')
  await page.getByRole('dialog').getByText('Only you see it.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter')
  await views(page).getByRole('link', { name: 'all that failed' }).waitFor({ state: 'detached' })
  expect((await server.call('GET /v1/views', { as: '' })).body.views).toEqual([])
  gate.open()
  expect(troubles).toEqual([])
})

it('shares a view with the tenant: others open it and cannot change it, an administrator takes it away, strangers see nothing', async () => {
  await using server = await served({}, { page: pageFiles() })
  const mine = { name: 'only mine', filter: 'status:failed' }
  await server.call('PUT /v1/views/mine', { as: ANA, body: mine })
  await server.call('PUT /v1/views/ours', {
    as: ANA,
    body: { name: 'of us all', filter: 'status:running', for: 'tenant' },
  })
  await using tab = await browser.open(`${server.url}/?view=ours`)
  tab.expects(401, 404)
  const { page } = tab
  await enter(tab, 'acme.vic.viewer')
  await views(page).getByRole('link', { name: 'of us all' }).waitFor()
  await page.getByRole('button', { name: 'Remove status:running' }).waitFor()
  expect(await views(page).getByRole('link').allTextContents()).toEqual(['All runs', 'of us all'])
  expect(await page.getByRole('button', { name: 'Change view' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Remove view' }).getAttribute('title')).toContain('RBAC_ROLE_ASSIGN')
  await page.goto(`${server.url}/?view=mine&q=status:failed`)
  await page.getByText('The view of this link is not there, or is not shared with you.').waitFor()
  expect(await filter(page).inputValue()).toBe('status:failed')
  await page.getByRole('button', { name: 'Forget the key' }).click()
  await enter(tab, BOB)
  await views(page).getByRole('link', { name: 'of us all' }).click()
  await page.getByRole('button', { name: 'Remove view' }).click()
  await page.getByRole('dialog').getByText('It was saved by ana.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await views(page).getByRole('link', { name: 'of us all' }).waitFor({ state: 'detached' })
  expect((await server.call('GET /v1/views')).body.views).toHaveLength(1)
})

it('shows the names and filters of others as texts, and axe finds nothing serious, in both themes, wide and narrow', async () => {
  await using server = await servedPage()
  for (const [at, text] of XSS.slice(0, 20).entries()) {
    const body = {
      name: text.slice(0, 80) || 'x',
      filter: `actor:"${text.replaceAll('"', '').slice(0, 200)}"`,
      for: 'tenant',
    }
    const { status } = await server.call(`PUT /v1/views/v${at}`, { as: '', body })
    expect([text, status]).toEqual([text, 200])
  }
  const found: object[] = []
  for (const colorScheme of THEMES)
    for (const width of widthsIn(colorScheme)) {
      await using tab = await browser.open(`${server.url}/?view=v3`, { colorScheme, viewport: { width, height: 800 } })
      const { page, troubles } = tab
      await page.getByRole('button', { name: 'Remove view' }).waitFor()
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      expect([width, Number(wide) <= width]).toEqual([width, true])
      for (const one of await seriousIn(page)) found.push({ colorScheme, width, ...one })
      await page.getByRole('button', { name: 'Save as view' }).click()
      await page.getByRole('dialog').getByLabel('Name').waitFor()
      for (const one of await seriousIn(page)) found.push({ colorScheme, width, dialog: true, ...one })
      expect(await page.evaluate('window.executed')).toBeUndefined()
      expect(troubles).toEqual([])
    }
  expect(found).toEqual([])
})
