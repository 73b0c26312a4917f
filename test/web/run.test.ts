/** The page of one run in a real browser: it is seen moving, walked through in time, and acted upon. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { ownPort } from '../setup/own-port.ts'
import { Command, folderWith } from '../e2e/command.ts'
import { ensureBuilt } from '../e2e/built.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { BUSY, GATED, SAGA, testSteps } from './plans.ts'

const browser = testBrowser()
beforeAll(ensureBuilt)

/** What the address says, as soon as it does. */
const query = (page: Page, name: string) => expect.poll(() => new URL(page.url()).searchParams.get(name))

it('is served by keelson dev at the address that it prints, and shows a run from its start form to its end', async () => {
  const folder = folderWith({
    'plan.yaml': 'plan: greet\nversion: 1.0.0\nsteps: [{ id: hello, run: hello }]\n',
    'keelson.steps.mjs': "export const hello = () => 'hello'\n",
  })
  const server = new Command(['dev', '--port', '0'], folder)
  const [, url = ''] = await server.shows(/is ready at (http:\S+)/)
  await using tab = await browser.open(url)
  tab.expects(/net::ERR_/)
  const { page, troubles } = tab
  await page.getByText('local @ local').waitFor()
  await page.getByRole('link', { name: 'Plans' }).click()
  await page.getByRole('link', { name: 'Write a new plan' }).waitFor()
  await page.getByRole('link', { name: 'Start greet' }).click()
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByRole('status', { name: 'Status of the run' }).getByText('completed').waitFor()
  await page.getByText('local @ local').click()
  await page.getByLabel('Name, or empty for the local user').fill('bo')
  await page.getByRole('button', { name: 'Be that person' }).click()
  await page.getByText('bo @ local').waitFor()
  expect(troubles).toEqual([])
  server.kill('SIGINT')
  expect((await server.finished).code).toBe(0)
})

it('moves with the run, in every tab that shows it, and acts on it with a reason', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(GATED, LOCAL)
  const id = await start(server, 'gated')
  await using one = await browser.open(`${server.url}/runs/${id}?step=second`)
  await using other = await browser.open(`${server.url}/runs/${id}`)
  const status = other.page.getByRole('status', { name: 'Status of the run' })
  await one.page.getByRole('button', { name: /^first .*, running$/ }).waitFor()
  await one.page.getByText('first is running').waitFor()
  await one.page.getByRole('button', { name: 'Pause' }).click()
  const dialog = one.page.getByRole('dialog', { name: 'Pause the run' })
  await dialog.getByLabel('Reason').fill('stock count')
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await dialog.getByRole('status', { name: 'Decision' }).getByText('accepted', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await status.getByText('paused').waitFor()
  await other.page.getByText('DRAINING').waitFor()
  await one.page.getByText(/^the run is paused by local since [\d:]+, "stock count"/).waitFor()
  await one.page.getByRole('listitem').getByRole('button', { name: 'Resume' }).click()
  await one.page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  await one.page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await status.getByText('running').waitFor()
  gate.open()
  await status.getByText('completed').waitFor()
  await one.page.getByRole('button', { name: /^second .*, succeeded$/ }).waitFor()
  await one.page.getByRole('tab', { name: 'output' }).click()
  const shown = await one.page.getByRole('region', { name: 'output of second' }).textContent()
  expect(JSON.parse(shown ?? '')).toEqual({ text: 'said by second' })
  expect(await one.page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
  expect([one.troubles, other.troubles]).toEqual([[], []])
})

it('goes back and forth in time by keys, by the list and by the address, and says so', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(SAGA, LOCAL)
  const id = await start(server, 'saga')
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}?at=5&step=charge&tab=why`)
  const { page, troubles } = tab
  await page.getByText(/^as of event 5 of \d+/).waitFor()
  await page.getByRole('button', { name: /^charge .*, running$/ }).waitFor()
  await page.getByRole('button', { name: /^ship .*, pending$/ }).waitFor()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('button', { name: /^charge .*, succeeded$/ }).waitFor()
  await query(page, 'at').toBe('6')
  await page.keyboard.press('Shift+ArrowLeft')
  await query(page, 'at').toBe('5')
  await page.getByRole('option').filter({ hasText: 'StepFailed' }).click()
  await query(page, 'step').toBe('ship')
  await page.getByText('it failed in attempt 1 with WAREHOUSE_FULL: the warehouse is full').waitFor()
  await page.keyboard.press('n')
  await page.getByText(/^event (\d+) of \1 .* the end$/).waitFor()
  await query(page, 'at').toBeNull()
  await page.getByRole('button', { name: /^reserve .*, undone$/ }).waitFor()
  await page.keyboard.press('Escape')
  await query(page, 'step').toBeNull()
  await page.keyboard.press('j')
  await query(page, 'step').toBe('reserve')
  // Looked at from inside: it lasts for a second or two, and a busy machine may not look in that time.
  const first = page.evaluate(`new Promise((resolve) => {
    const when = document.querySelector('.when')
    const look = () => when.textContent.startsWith('as of event') && resolve(when.textContent)
    new MutationObserver(look).observe(when, { subtree: true, childList: true, characterData: true })
  })`)
  await page.getByRole('button', { name: 'Play the run back' }).click()
  expect(await first).toMatch(/^as of event 1 of \d+/)
  await page.getByText(/^event (\d+) of \1 .* the end$/).waitFor()
  expect(troubles).toEqual([])
})

it('says that the server is away, and goes on where it was when it is back', async () => {
  const folder = folderWith({
    'plan.yaml': 'plan: two\nversion: 1.0.0\nsteps: [{ id: sign, manual: { title: Sign } }, { id: last, run: last }]\n',
    'keelson.steps.mjs': "export const last = () => 'done'\n",
  })
  const port = String(await ownPort())
  const url = `http://127.0.0.1:${port}`
  const serving = async (): Promise<Command> => {
    const server = new Command(['dev', '--port', port], folder)
    await server.shows(/is ready at/)
    return server
  }
  const first = await serving()
  const headers = { 'content-type': 'application/json' }
  const begun = await fetch(`${url}/v1/executions`, { method: 'POST', headers, body: '{"planId":"two","input":{}}' })
  const { executionId } = (await begun.json()) as { readonly executionId: string }
  await using tab = await browser.open(`${url}/runs/${executionId}`)
  tab.expects(/net::ERR_/, /Failed to fetch dynamically imported module/)
  const { page } = tab
  await page.getByRole('button', { name: /^sign .*, waits for a person$/ }).waitFor()
  first.kill('SIGKILL')
  await page.getByText('the server does not answer').waitFor()
  await page.getByText(/ · not live$/).waitFor()
  // Nothing of an act is loaded before somebody acts: who acts now is told, and goes on when the server is back.
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('dialog', { name: 'The server is away' }).getByText('Nothing was sent.').waitFor()
  await serving()
  await page.getByText('the server does not answer').waitFor({ state: 'detached' })
  await page.getByRole('dialog', { name: 'Pause the run' }).getByRole('button', { name: 'Leave it' }).click()
  await page.getByText(/ · live$/).waitFor()
  const { tasks } = (await (await fetch(`${url}/v1/tasks`)).json()) as { readonly tasks: readonly { token: string }[] }
  const done = await fetch(`${url}/v1/tasks/${tasks[0]?.token}/complete`, {
    method: 'POST',
    headers,
    body: '{"outcome":"Succeeded"}',
  })
  expect(await done.text()).toContain('accepted')
  await page.getByRole('status', { name: 'Status of the run' }).getByText('completed').waitFor()
  const log = (await (await fetch(`${url}/v1/executions/${executionId}/events`)).json()) as { readonly next: number }
  const events = page.getByRole('listbox', { name: 'Events' }).getByRole('option')
  expect(await events.count()).toBe(log.next)
})

it('tells of a run that nobody has, with the code and the id of the request', async () => {
  await using server = await servedPage()
  await using tab = await browser.open(`${server.url}/runs/00000000-0000-4000-8000-000000000000`)
  tab.expects(404)
  const alert = tab.page.getByRole('alert')
  await alert.getByText('RUN_NOT_FOUND').waitFor()
  expect(await alert.textContent()).toMatch(/correlation id [0-9a-f-]{36}/)
})

it('folds the items of a fan-out into one strip, and opens one of them', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(BUSY, LOCAL)
  const id = await start(server, 'busy', { items: [1, 2, 3, 4] })
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}?step=each&tab=items`)
  const { page, troubles } = tab
  await page.getByRole('button', { name: 'each 4 of 4, succeeded' }).waitFor()
  await page.getByRole('button', { name: /^each\[3\] succeeded 2 attempts/ }).click()
  await page.getByRole('tab', { name: 'attempts (2)' }).click()
  await page.getByText('attempt 1', { exact: true }).waitFor()
  await page.getByRole('tab', { name: 'input' }).click()
  const input = await page.getByRole('region', { name: 'input of each[3]' }).textContent()
  expect(JSON.parse(input ?? '')).toEqual({ n: 4 })
  expect(troubles).toEqual([])
})

it('plays a live run back beyond a long wait while events go on coming', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(GATED, LOCAL)
  const id = await start(server, 'gated')
  const change = (): Promise<unknown> =>
    server.call(`POST /v1/executions/${id}/signals`, {
      as: '',
      body: { signalId: crypto.randomUUID(), signalType: 'UPDATE_PARAMS', payload: { params: { a: 1 }, reason: 'go' } },
    })
  await using tab = await browser.open(`${server.url}/runs/${id}?speed=1`)
  const { page, troubles } = tab
  const cursor = page.getByLabel('Event', { exact: true })
  await page.getByRole('button', { name: /^first .*, running$/ }).waitFor()
  // What follows comes after a wait that the playback makes as long as it can.
  const before = Number(await cursor.inputValue())
  await change()
  await expect.poll(async () => Number(await cursor.inputValue())).toBeGreaterThan(before)
  // From here on time passes in the page only when the test says so: never as long as that wait before another event has come.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await page.getByRole('button', { name: 'Play the run back' }).click()
  await page.getByText(/^as of event/).waitFor()
  const known = async (): Promise<number> => Number(await cursor.getAttribute('max'))
  let reached = 0
  for (let times = 0; times < 20 && reached <= before; times += 1) {
    const last = await known()
    await change()
    while ((await known()) <= last) await page.clock.runFor(20)
    await page.clock.runFor(150)
    reached = Number(await cursor.inputValue())
  }
  expect(reached).toBeGreaterThan(before)
  gate.open()
  expect(troubles).toEqual([])
})
