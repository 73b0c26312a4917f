/** Schedules in a real browser: made in a form that tells when they would come, followed, paused, filled in with a preview, edited and deleted. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { pageFiles } from '../../src/edge/http/page/page-files.ts'
import { served, type Served } from '../server/served.ts'
import { seriousIn } from './axe.ts'
import { LOCAL, servedPage, testBrowser } from './browser.ts'
import { tabTo } from './keyboard.ts'
import { THEMES, widthsIn } from './looks.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()

const NIGHTLY = `
plan: nightly
version: 1.0.0
inputs: { type: object, required: [day], properties: { day: { type: string }, size: { type: integer, default: 3 } } }
steps: [{ id: pack, run: echo, with: { day: '\${input.day}' } }]
`
const steps = { echo: (input: unknown) => input ?? null }

async function withPlan(hasClockwork = true): Promise<Served> {
  const server = await servedPage({ steps }, { hasClockwork })
  await server.publish(NIGHTLY, LOCAL)
  return server
}

async function make(server: Served, body: object): Promise<void> {
  const { status, text } = await server.call('POST /v1/schedules', { as: '', body: { planId: 'nightly', ...body } })
  if (status !== 201) throw new Error(`not made: ${text}`)
}

async function showOf(server: Served, scheduleId: string): Promise<ReturnType<typeof JSON.parse>> {
  return (await server.call(`GET /v1/schedules/${scheduleId}`, { as: '' })).body
}

const region = (page: Page, name: string): ReturnType<Page['getByRole']> => page.getByRole('region', { name })

it('makes a schedule whose form tells when it would come and what is wrong, and shows the runs that it started', async () => {
  await using server = await withPlan()
  await using tab = await browser.open(server.url)
  tab.expects(400)
  const { page } = tab
  await page.getByRole('button', { name: 'Operate' }).click()
  await page.getByRole('link', { name: 'Schedules' }).click()
  await page.getByText('No schedule yet.').waitFor()
  await page.getByText(`--server ${server.url}`).waitFor()
  await page.getByRole('button', { name: 'New schedule' }).click()
  expect(new URL(page.url()).searchParams.get('new')).toBe('1')
  await page.getByLabel('Name', { exact: true }).fill('ticks')
  await page.getByRole('combobox', { name: 'Plan', exact: true }).selectOption('nightly')
  await page.getByLabel('Minute, hour, day, month, weekday').fill('61 2 * * *')
  await page.getByLabel('Time zone').fill('Europe/Atlantis')
  const coming = region(page, 'When it comes')
  await coming.getByText("'61' is no minute").waitFor()
  await coming.getByText("'Europe/Atlantis' is no time zone").waitFor()
  expect(await page.getByLabel('Time zone').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Minute, hour, day, month, weekday').fill('30 2 * * 1-5')
  await page.getByLabel('Time zone').fill('Europe/Berlin')
  await coming.getByText('at 02:30 on Monday to Friday').waitFor()
  await coming
    .getByText(/, 02:30:00/)
    .first()
    .waitFor()
  await page.getByLabel('after each time').check()
  await page.getByLabel('After each', { exact: true }).fill('1s')
  await coming.getByText('every second').waitFor()
  await page.getByLabel('day required').fill('${input.at}')
  await page.getByLabel('size').fill('${input.scheduleId}')
  await page.getByLabel('While the run before goes on').selectOption('run both')
  // What the form cannot know: the number that the plan wants is not there at the start.
  await page.getByRole('button', { name: 'As JSON' }).click()
  await page.getByLabel('Input as JSON').fill('{ "day": "${input.at}", "size": 4 }')
  await page.getByRole('button', { name: 'As a form' }).click()
  expect(await page.getByLabel('size').inputValue()).toBe('4')
  await page.getByRole('button', { name: 'Make the schedule' }).click()
  await page.waitForURL('**/schedules/ticks')
  const last = region(page, 'Last occurrences')
  await last.getByText('completed').first().waitFor()
  await region(page, 'Next occurrences')
    .getByText(/^in \d+ s$/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Pause ticks' }).click()
  await page.getByRole('dialog').getByLabel('Reason').fill('stock count')
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await page.getByText('until it is resumed, by local').waitFor()
  const { schedule } = await showOf(server, 'ticks')
  expect(schedule).toMatchObject({ input: { day: '${input.at}', size: 4 }, overlap: 'allow', pausedBy: 'local' })
  const run = last.getByRole('link').first()
  const executionId = await run.textContent()
  await run.click()
  await page.waitForURL(`**/runs/${executionId}`)
  await page.getByRole('status', { name: 'Status of the run' }).getByText('completed').waitFor()
})

it('pauses a schedule until an instant for a reason, shows it in the list, and resumes it', async () => {
  await using server = await withPlan(false)
  await make(server, { scheduleId: 'every-night', cron: '30 2 * * *', zone: 'Europe/Berlin', overlap: 'queue' })
  await using tab = await browser.open(`${server.url}/schedules`, { timezoneId: 'UTC' })
  tab.expects(400)
  const { page } = tab
  const row = page.getByRole('row').filter({ hasText: 'every-night' })
  await row.getByText('at 02:30 every day').waitFor()
  await row.getByText('30 2 * * *').waitFor()
  await row.getByText('Europe/Berlin').waitFor()
  await row.getByText('queue').waitFor()
  const { schedule } = await showOf(server, 'every-night')
  const next = row.getByText(/^in /)
  expect(await next.getAttribute('title')).toBe(schedule.nextAt)
  await row.getByRole('button', { name: 'Pause every-night' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Until, or empty').fill('2020-01-01T00:00')
  await dialog.getByLabel('Reason').fill('stock count')
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await dialog.getByRole('alert').getByText('a pause ends after now').waitFor()
  await dialog.getByText('correlation id').waitFor()
  await dialog.getByLabel('Until, or empty').fill('2999-01-01T06:00')
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await row.getByText('paused').waitFor()
  await row
    .getByText(/ends in \d+ d, by local just now: stock count|ends in \d+ d, by local \d+ s ago: stock count/)
    .waitFor()
  expect((await showOf(server, 'every-night')).schedule).toMatchObject({
    pausedUntil: '2999-01-01T06:00:00.000Z',
    pauseReason: 'stock count',
  })
  await row.getByRole('button', { name: 'Resume every-night' }).click()
  await dialog.getByText('is passed over').waitFor()
  await dialog.getByRole('button', { name: 'Resume' }).click()
  await next.waitFor()
  expect((await showOf(server, 'every-night')).schedule.paused).toBe(false)
})

it('fills in a time that has passed, after the server has counted and shown the occurrences', async () => {
  await using server = await withPlan()
  await make(server, { scheduleId: 'noon', cron: '0 12 * * *', input: { day: '${input.at}' } })
  await using tab = await browser.open(`${server.url}/schedules/noon`, { timezoneId: 'UTC' })
  tab.expects(400)
  const { page } = tab
  await page.getByRole('button', { name: 'Fill in …' }).click()
  const form = page.getByRole('form', { name: 'Fill in' })
  expect(await form.getByRole('button', { name: 'Start them' }).isDisabled()).toBe(true)
  await form.getByLabel('From').fill('2026-01-01T12:00')
  await form.getByLabel('To', { exact: true }).fill('2999-01-05T12:00')
  await form.getByRole('alert').getByText('a backfill is of a time that has passed').waitFor()
  await form.getByLabel('To', { exact: true }).fill('2026-01-05T12:00')
  const preview = form.getByRole('region', { name: 'What it would start' })
  await preview.getByText('5 occurrences').waitFor()
  const shown = await preview.getByRole('listitem').allTextContents()
  expect([shown.length, shown[0]]).toEqual([5, 'Thu, 1 Jan 2026, 12:00:00 UTC'])
  expect((await server.call('GET /v1/executions', { as: '' })).body.executions).toEqual([])
  const address = page.url()
  expect(new URL(address).searchParams.get('from')).toBe('2026-01-01T12:00:00.000Z')
  await form.getByLabel('Runs at once').fill('3')
  await form.getByRole('button', { name: 'Start 5 occurrences' }).click()
  const filled = region(page, 'Backfills')
  await filled.getByText('5 started').waitFor()
  await filled.getByText(/^ended/).waitFor()
  await filled.getByText('3 at once').waitFor()
  expect((await server.call('GET /v1/executions', { as: '' })).body.executions).toHaveLength(5)
  await page.goto(address)
  await preview.getByText('5 of them ran already').waitFor()
})

it('says of a schedule that a plan brings why it is neither edited nor deleted here', async () => {
  await using server = await withPlan(false)
  const text = 'plan: own\nversion: 1.0.0\nschedule: { every: 2h }\nsteps: [{ id: a, run: echo }]\n'
  await server.call('PUT /v1/plans', { as: '', body: { text } })
  await using tab = await browser.open(`${server.url}/schedules`)
  const { page, troubles } = tab
  const row = page.getByRole('row').filter({ hasText: 'every 2 hours' })
  await row.getByText('of its plan').waitFor()
  expect(await row.getByRole('button').allTextContents()).toEqual(['Pause'])
  await row.getByRole('link', { name: 'own' }).first().click()
  await page.getByText('SCHEDULE_OF_PLAN').waitFor()
  await page.getByRole('button', { name: 'Pause own' }).waitFor()
  expect(await page.getByRole('button', { name: /^(Edit|Delete)/ }).count()).toBe(0)
  expect(troubles).toEqual([])
})

it('is edited and deleted by keyboard alone, on a narrow screen', async () => {
  await using server = await withPlan(false)
  await make(server, { scheduleId: 'noon', cron: '0 12 * * *', input: { day: '${input.at}' } })
  await using tab = await browser.open(`${server.url}/schedules`, { viewport: { width: 360, height: 740 } })
  const { page, troubles } = tab
  await page.getByRole('link', { name: 'noon' }).waitFor()
  await tabTo(page, 'noon')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  await tabTo(page, 'Edit')
  await page.keyboard.press('Enter')
  await page.getByRole('form', { name: 'Edit noon' }).getByLabel('Input as JSON').waitFor()
  await tabTo(page, 'Minute, hour')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('15 6 * * *')
  await tabTo(page, 'Change it')
  await page.keyboard.press('Enter')
  await page.getByText('at 06:15 every day').waitFor()
  expect((await showOf(server, 'noon')).schedule).toMatchObject({ cron: '15 6 * * *', input: { day: '${input.at}' } })
  await tabTo(page, 'Delete')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('Runs that it started go on').waitFor()
  await page.keyboard.press('Escape')
  expect((await showOf(server, 'noon')).schedule.scheduleId).toBe('noon')
  await tabTo(page, 'Delete')
  await page.keyboard.press('Enter')
  await tabTo(page, 'Delete')
  await page.keyboard.press('Enter')
  await page.getByText('No schedule yet.').waitFor()
  expect((await server.call('GET /v1/schedules/noon', { as: '' })).status).toBe(404)
  expect(troubles).toEqual([])
})

it('tells who may only look why nothing can be changed', async () => {
  await using server = await served({ steps }, { page: pageFiles() })
  await server.publish(NIGHTLY)
  await server.call('POST /v1/schedules', { body: { scheduleId: 'noon', planId: 'nightly', every: '1h' } })
  await using tab = await browser.open(`${server.url}/schedules`)
  tab.expects(401, 404)
  const { page } = tab
  await page.getByLabel('API key').fill('acme.vic.viewer')
  await page.getByRole('button', { name: 'Enter' }).click()
  const button = page.getByRole('button', { name: 'Pause noon' })
  await button.waitFor()
  expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([
    true,
    'Your role viewer may not do this (RUN_START). The role Operator, Engineer or Admin may.',
  ])
  expect(await page.getByRole('button', { name: 'New schedule' }).isDisabled()).toBe(true)
})

it('shows more than a hundred schedules when one asks for them', async () => {
  await using server = await withPlan(false)
  for (let at = 0; at < 120; at += 1) await make(server, { scheduleId: `s${String(at).padStart(3, '0')}`, every: '1h' })
  await using tab = await browser.open(`${server.url}/schedules`)
  const { page, troubles } = tab
  await page.getByRole('link', { name: 's099' }).waitFor()
  expect(await page.getByRole('link', { name: 's100' }).count()).toBe(0)
  await page.getByRole('button', { name: 'More schedules' }).click()
  await page.getByRole('link', { name: 's119' }).waitFor()
  expect(await page.getByRole('button', { name: 'More schedules' }).count()).toBe(0)
  expect(troubles).toEqual([])
})

it('keeps hostile texts texts, and has nothing that axe calls serious, in both themes, wide and narrow', async () => {
  await using server = await withPlan()
  await make(server, { scheduleId: 'ticks', every: '1s', input: { day: XSS.join(' ') } })
  await make(server, {
    scheduleId: 'broken',
    every: '1s',
    input: { day: '${input.none}<img src=x onerror=window.executed=1>' },
  })
  const reason = XSS.slice(0, 8).join(' ').slice(0, 500)
  await expect.poll(async () => (await showOf(server, 'ticks')).last.length).toBeGreaterThan(0)
  await expect.poll(async () => (await showOf(server, 'broken')).last.length).toBeGreaterThan(0)
  for (const id of ['ticks', 'broken'])
    await server.call(`POST /v1/schedules/${id}/pause`, { as: '', body: { reason } })
  const span = 'fill=1&from=2026-01-01T12:00:00.000Z&to=2026-01-01T12:00:09.000Z'
  const pages: readonly (readonly [path: string, isThere: string])[] = [
    ['/schedules', 'window.executed=1'],
    ['/schedules?new=1', 'Make the schedule'],
    [`/schedules/ticks?${span}`, '10 occurrences'],
    ['/schedules/broken', 'not started'],
    ['/schedules/broken?edit=1', 'As a form'],
  ]
  const found: object[] = []
  for (const colorScheme of THEMES)
    for (const width of widthsIn(colorScheme)) {
      await using tab = await browser.open(server.url, { colorScheme, viewport: { width, height: 800 } })
      const { page, troubles } = tab
      for (const [path, isThere] of pages) {
        await page.goto(`${server.url}${path}`)
        await page.getByText(isThere).first().waitFor()
        const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
        expect([path, width, wide <= width]).toEqual([path, width, true])
        for (const one of await seriousIn(page)) found.push({ path, colorScheme, width, ...one })
      }
      expect(await page.evaluate('window.executed')).toBeUndefined()
      expect(troubles).toEqual([])
    }
  expect(found).toEqual([])
})
