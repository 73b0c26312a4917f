/** Finding by a few letters, and the keys that lead from page to page, without a mouse. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { seriousIn } from './axe.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { THEMES, widthsIn } from './looks.ts'
import { GATED, SAGA, testSteps } from './plans.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()

const LABELLED = `
plan: labelled
version: 1.0.0
labels: { team: ops }
steps: [{ id: only, run: echo }]
`

const palette = (page: Page) => page.getByRole('dialog', { name: 'Find' })
const field = (page: Page) => palette(page).getByRole('combobox')

async function open(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await field(page).waitFor()
  await palette(page).getByRole('group', { name: 'Pages' }).waitFor()
}

/** What is chosen, as one hears it: the option that the field names. */
async function chosen(page: Page): Promise<string> {
  const id = (await field(page).getAttribute('aria-activedescendant')) ?? ''
  const option = palette(page).locator(`[id="${id}"]`)
  expect([await option.getAttribute('role'), await option.getAttribute('aria-selected')]).toEqual(['option', 'true'])
  return (await option.textContent()) ?? ''
}

const pathOf = (page: Page): string => new URL(page.url()).pathname

it('finds a run by its id, its plan and a label, and goes there, by keyboard alone', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  for (const plan of [SAGA, LABELLED]) await server.publish(plan, LOCAL)
  const labelled = await start(server, 'labelled')
  const saga = await start(server, 'saga')
  for (const id of [labelled, saga]) await ended(server, id)
  await using tab = await browser.open(`${server.url}/plans`)
  const { page, troubles } = tab
  const asked = page.waitForRequest(/palette.*\.js/)
  await page.getByRole('heading', { name: 'Plans' }).waitFor()
  await open(page)
  await asked
  const runs = palette(page).getByRole('group', { name: 'Runs' })
  for (const text of [saga, saga.slice(0, 8), 'saga failed'] as const) {
    await field(page).fill(text)
    await runs
      .getByRole('option')
      .filter({ hasText: saga.slice(0, 8) })
      .waitFor()
    expect([
      text,
      await runs
        .getByRole('option')
        .filter({ hasText: labelled.slice(0, 8) })
        .count(),
    ]).toEqual([text, 0])
  }
  for (const text of ['label:team=ops', 'team=ops', 'plan:labelled']) {
    await field(page).fill(text)
    await runs
      .getByRole('option')
      .filter({ hasText: labelled.slice(0, 8) })
      .waitFor()
  }
  expect(await chosen(page)).toContain('labelled')
  await page.keyboard.press('Enter')
  await page.getByRole('status', { name: 'Status of the run' }).waitFor()
  expect(pathOf(page)).toBe(`/runs/${labelled}`)
  expect(await palette(page).count()).toBe(0)
  await open(page)
  await field(page).fill('nothing has this name')
  await palette(page).getByText('Nothing of this name.').waitFor()
  expect(await field(page).getAttribute('aria-expanded')).toBe('false')
  await page.keyboard.press('Escape')
  await palette(page).waitFor({ state: 'detached' })
  expect(troubles).toEqual([])
})

it('selects steps and opens acts of the run that is open, and says why one may not be done', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(GATED, LOCAL)
  const id = await start(server, 'gated')
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  const { page, troubles } = tab
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  await open(page)
  await field(page).fill('second')
  expect(await chosen(page)).toMatch(/^second /)
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Step second' }).waitFor()
  await page.waitForURL(/step=second/)
  await open(page)
  await field(page).fill('pause')
  expect(await chosen(page)).toBe('Pause the run')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Pause the run' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  // On the list, acts on all runs need a filter that says which.
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.getByRole('row').filter({ hasText: 'gated' }).first().waitFor()
  await open(page)
  await field(page).fill('cancel')
  expect(await chosen(page)).toContain('Say by the filter which runs are meant.')
  await page.keyboard.press('Enter')
  expect(await palette(page).count()).toBe(1)
  await page.keyboard.press('Escape')
  gate.open()
  expect(troubles).toEqual([])
})

it('shows first where one has been, moves with the arrows around both ends, and closes with Escape', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(SAGA, LOCAL)
  const id = await start(server, 'saga')
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  const { page, troubles } = tab
  await page.getByRole('status', { name: 'Status of the run' }).waitFor()
  await page.goto(`${server.url}/plans/saga`)
  await page.getByRole('heading', { name: 'saga' }).waitFor()
  await open(page)
  const recent = palette(page).getByRole('group').first()
  expect(await recent.getAttribute('aria-label')).toBe('Recent')
  expect(await recent.getByRole('option').allTextContents()).toEqual(['saga plan', `saga ${id.slice(0, 8)}`])
  expect(await chosen(page)).toBe('saga plan')
  await page.keyboard.press('ArrowUp')
  const last = await palette(page).getByRole('option').last().textContent()
  expect(await chosen(page)).toBe(last)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('status', { name: 'Status of the run' }).waitFor()
  expect(pathOf(page)).toBe(`/runs/${id}`)
  expect(troubles).toEqual([])
})

it('goes to pages by g and a letter, and from run to run by [ and ], as the map of keys says', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(SAGA, LOCAL)
  const ids = [await start(server, 'saga'), await start(server, 'saga'), await start(server, 'saga')]
  for (const id of ids) await ended(server, id)
  const [oldest, middle, newest] = ids
  await using tab = await browser.open(server.url)
  const { page, troubles } = tab
  await page.getByRole('button', { name: 'failed 3' }).waitFor()
  await page.keyboard.press('?')
  for (const keys of ['g r', 'g t', 'g p', 'g b', '[  ]', '⌘K  Ctrl K'])
    await page.getByRole('dialog', { name: 'Keys' }).getByText(keys, { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  for (const [letter, path] of Object.entries({
    t: '/tasks',
    p: '/plans',
    o: '/operations',
    k: '/keys',
    b: '/bundle',
    r: '/',
  })) {
    await page.keyboard.press('g')
    await page.keyboard.press(letter)
    await page.waitForURL(`${server.url}${path}`)
  }
  await page
    .getByRole('row')
    .filter({ hasText: newest?.slice(0, 8) ?? '' })
    .getByRole('link')
    .click()
  const at = (id = ''): Promise<void> => page.waitForURL(`${server.url}/runs/${id}`)
  await at(newest)
  for (const [key, id] of [
    [']', middle],
    [']', oldest],
    ['[', middle],
  ] as const) {
    await page.keyboard.press(key)
    await at(id)
  }
  await page.keyboard.press('[')
  await page.keyboard.press('[')
  await at(newest)
  // In a field letters are letters.
  await page.getByLabel('Filter events').fill('')
  await page.getByLabel('Filter events').pressSequentially('gp[]')
  expect(await page.getByLabel('Filter events').inputValue()).toBe('gp[]')
  expect(new URL(page.url()).pathname).toBe(`/runs/${newest}`)
  expect(troubles).toEqual([])
})

it('shows names of strangers as texts, and axe finds nothing serious, in both themes, wide and narrow', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(SAGA, LOCAL)
  const body = { planId: 'saga', input: {} }
  for (const [at, actor] of ['<img src=x onerror=alert(1)>', '"><script>alert(1)</script>'].entries())
    await server.call('POST /v1/executions', {
      as: '',
      headers: { 'x-keelson-act-as': encodeURIComponent(actor) },
      body: { ...body, runRequestId: `r${at}` },
    })
  const found: object[] = []
  for (const colorScheme of THEMES)
    for (const width of widthsIn(colorScheme)) {
      await using tab = await browser.open(server.url, { colorScheme, viewport: { width, height: 800 } })
      tab.expects(400)
      const { page } = tab
      await page.getByRole('button', { name: 'Find' }).click()
      await palette(page).getByRole('group', { name: 'Runs' }).waitFor()
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      expect([width, Number(wide) <= width]).toEqual([width, true])
      for (const one of await seriousIn(page)) found.push({ colorScheme, width, ...one })
      for (const text of XSS.slice(0, 40)) await field(page).fill(text.replaceAll('\n', ' '))
      await page.keyboard.press('Escape')
      expect(await page.evaluate('window.executed')).toBeUndefined()
    }
  expect(found).toEqual([])
})
