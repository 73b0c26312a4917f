/** The feed in a real browser: a real dead letter is made, looked at, delivered once more and seen gone; another is dropped with a reason. */
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { tenantSubscriber } from '../../src/core/feed/subscriber.ts'
import { pageFiles } from '../../src/edge/http/page/page-files.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'
import type { Subscription } from '../../src/library/tell/subscription.ts'
import { served, type Served } from '../server/served.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { fineEverywhere } from './everywhere.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()
const PLAN = 'plan: packing\nversion: 1.0.0\nsteps: [{ id: pack, run: pack }]\n'
const steps = { pack: () => 'packed' }

interface Follower {
  readonly subscription: Subscription
  /** From now on it takes everything. */
  readonly mend: () => void
}

/** Fails on every event until it is mended. */
function follower(server: Served, name: string, message: string, tenantId = LOCAL, maxAttempts = 1): Follower {
  let isBroken = true
  const own = onBehalf(server.keelson, { tenantId, projectId: 'default', environmentId: 'local', actorId: 'ana' })
  const take = (): void => {
    if (isBroken) throw new Error(message)
  }
  const options = { maxAttempts, pollMs: 3_600_000, onProblem: () => undefined }
  return { subscription: own.subscribe(name, take, options), mend: () => (isBroken = false) }
}

async function withDeadLetters(name: string, message: string): Promise<Follower & { readonly server: Served }> {
  const server = await servedPage({ steps })
  await server.publish(PLAN, LOCAL)
  const broken = follower(server, name, message)
  await ended(server, await start(server, 'packing'))
  await broken.subscription.drain()
  return { server, ...broken }
}

it('looks at dead letters, has chosen ones and then all of them delivered once more, and sees them gone', async () => {
  const { server: opened, subscription, mend } = await withDeadLetters('post/office', 'the post is away')
  await using server = opened
  await using tab = await browser.open(server.url)
  tab.expects(404)
  const { page } = tab
  await page.getByRole('button', { name: 'Operate' }).click()
  await page.getByRole('link', { name: 'Feed', exact: true }).click()
  const row = page.getByRole('row').filter({ hasText: 'post/office' })
  const count = (await subscription.deadLetters()).length
  await row.getByText('up to date').waitFor()
  await row.getByRole('cell').last().getByText(String(count), { exact: true }).waitFor()
  await row.getByRole('link', { name: 'post/office' }).click()
  // A name with a slash is one part of the address.
  expect(new URL(page.url()).pathname).toBe(`/feed/${encodeURIComponent(tenantSubscriber(LOCAL, 'post/office'))}`)
  const letters = page.getByRole('region', { name: 'Dead letters' })
  await letters.getByText(`${count} dead letters, oldest first.`).waitFor()
  await letters
    .getByRole('button', { name: /^Look at / })
    .first()
    .click()
  const panel = page.getByRole('region', { name: 'The dead letter' })
  await panel.getByText('RunApproved').waitFor()
  await panel.getByRole('region', { name: 'The error' }).getByText('the post is away').waitFor()
  // What was opened is in the address, and comes back with it.
  await page.reload()
  await panel.getByText('RunApproved').waitFor()
  await panel.getByRole('link', { name: /^event 1 of run / }).click()
  await page.getByRole('listbox', { name: 'Events' }).waitFor()
  expect(new URL(page.url()).searchParams.get('at')).toBe('1')
  await page.goBack()
  const status = page.getByRole('status', { name: 'Redelivery' })
  for (const at of [0, 1])
    await letters
      .getByRole('checkbox', { name: /^Choose \d/ })
      .nth(at)
      .check()
  await letters.getByRole('button', { name: 'Redeliver 2', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('It is recorded as an act of local').waitFor()
  await dialog.getByRole('button', { name: 'Leave it' }).click()
  expect((await subscription.deadLetters()).filter(({ askedAt }) => askedAt !== undefined)).toEqual([])
  await letters.getByRole('button', { name: 'Redeliver 2', exact: true }).click()
  await dialog.getByRole('button', { name: 'Redeliver' }).click()
  await status.getByText('2 dead letters waiting for whoever follows under this name.').waitFor()
  // It is still broken: the first fails again, and the one after it is not tried.
  await subscription.drain()
  await status.getByText('2 failed once more.').waitFor()
  mend()
  await letters.getByRole('button', { name: `Redeliver all ${count}` }).click()
  await dialog.getByRole('button', { name: 'Redeliver' }).click()
  await status.getByText(`${count} dead letters waiting`).waitFor()
  await subscription.drain()
  await status.getByText(`${count} delivered.`).waitFor()
  await letters.getByText('None. An event on which').waitFor()
  expect(await subscription.deadLetters()).toEqual([])
})

it('drops a dead letter only with a reason, by keyboard alone, and the audit log keeps it', async () => {
  const { server: opened, subscription } = await withDeadLetters('mail', 'no such address')
  await using server = opened
  const subscriber = tenantSubscriber(LOCAL, 'mail')
  await using tab = await browser.open(`${server.url}/feed/${encodeURIComponent(subscriber)}`)
  const { page, troubles } = tab
  const before = (await subscription.deadLetters()).length
  const drop = page.getByRole('button', { name: /^Drop / }).first()
  await drop.waitFor()
  const letterId = ((await drop.getAttribute('aria-label')) ?? '').replace('Drop ', '')
  await drop.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await drop.focus()
  await page.keyboard.press('Enter')
  // Without a reason nothing is sent: the form says so.
  await dialog.getByRole('button', { name: 'Drop it' }).press('Enter')
  expect((await subscription.deadLetters()).length).toBe(before)
  await dialog.getByRole('radio', { name: 'the subscriber can never take it' }).press('Space')
  await dialog.getByRole('button', { name: 'Drop it' }).press('Enter')
  await page.getByText(`${before - 1} dead letters, oldest first.`).waitFor()
  expect((await subscription.deadLetters()).length).toBe(before - 1)
  const { records } = (await server.call('GET /v1/audit?action=SERVER_OPERATE', { as: '' })).body
  expect(records.map(({ record }: { readonly record: string }) => JSON.parse(record))).toMatchObject([
    { call: 'dropDeadLetter', actorId: 'local', target: `${subscriber} ${letterId}`, because: 'NEVER_TAKEN' },
  ])
  expect(troubles).toEqual([])
})

it('tells who lacks the role why and which role would do, and an operator of another tenant which event it is and no more', async () => {
  await using server = await served({ steps }, { page: pageFiles() })
  await server.publish(PLAN)
  const { subscription } = follower(server, 'mail', 'no such address', 'acme')
  const { body } = await server.call('POST /v1/executions', { body: { planId: 'packing', input: {} } })
  const run = String(body.executionId)
  await onBehalf(server.keelson, ACME)
    .run(run)
    .then((one) => one.result())
  await subscription.drain()
  const path = `/feed/${encodeURIComponent(tenantSubscriber('acme', 'mail'))}`
  await using tab = await browser.open(`${server.url}${path}`)
  tab.expects(401, 403, 404)
  const { page } = tab
  const enter = async (key: string): Promise<void> => {
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Enter' }).click()
  }
  await enter('acme.ana.Admin')
  await page.getByText('Your role Admin may not do this (SERVER_OPERATE). The role server-operator may.').waitFor()
  await page.getByText('keelson keys create --tenant acme --actor ops --role server-operator').waitFor()
  await page.getByRole('button', { name: 'Forget the key' }).click()
  await enter('ops.olga.server-operator')
  await page.getByText(`event 1 of run ${run.slice(0, 8)} of acme`).waitFor()
  expect(await page.getByRole('link', { name: /^event/ }).count()).toBe(0)
})

const ACME = { tenantId: 'acme', projectId: 'default', environmentId: 'local', actorId: 'ana' }

it('names the process that keeps the feed from moving, and deliveries that are tried again', async () => {
  const inner = openMemoryStore({ clock: systemClock })
  const stalledBy = { pid: 4_711, sinceMs: 12_000 }
  const store: typeof inner = {
    ...inner,
    feedStatus: async (name) => ({ ...(await inner.feedStatus(name)), stalledBy }),
  }
  await using server = await servedPage({ steps, store })
  await server.publish(PLAN, LOCAL)
  const { subscription } = follower(server, 'mail', 'no such address', LOCAL, 9)
  await ended(server, await start(server, 'packing'))
  await subscription.drain()
  await using tab = await browser.open(`${server.url}/feed`)
  const { page, troubles } = tab
  const row = page.getByRole('row').filter({ hasText: 'mail' })
  await row.getByText('stalled', { exact: true }).waitFor()
  await row.getByText('FEED_STALLED').waitFor()
  await row.getByText('A transaction of process 4711 of the database has been open for 12 seconds.').waitFor()
  await row.getByText(/\d+ events of 1 run$/).waitFor()
  await row.getByRole('link', { name: 'mail' }).click()
  await page
    .getByRole('region', { name: 'Deliveries that failed' })
    .getByText(/failed \d+ times?$/)
    .waitFor()
  expect(troubles).toEqual([])
})

it('teaches how one follows where nobody does', async () => {
  await using server = await servedPage()
  await using tab = await browser.open(`${server.url}/feed`)
  await tab.page.getByText('Nobody follows the logs yet.').waitFor()
  await tab.page.goto(`${server.url}/feed/nobody`)
  await tab.page.getByText('Nobody follows the logs under this name.').waitFor()
  expect(tab.troubles).toEqual([])
})

it('executes nothing of what subscribers are called and their errors say, and is fine everywhere', async () => {
  const hostile = XSS.filter((text) => Buffer.byteLength(text) < 200).slice(0, 40)
  const name = hostile[0] ?? ''
  const { server: opened } = await withDeadLetters(name, XSS.join('\n').slice(0, 4_000))
  await using server = opened
  for (const other of hostile.slice(1)) await follower(server, other, other).subscription.drain()
  const path = `/feed/${encodeURIComponent(tenantSubscriber(LOCAL, name))}`
  const client = await server.call(`GET /v1${path.replace('/feed/', '/feed/subscribers/')}/dead-letters`, { as: '' })
  const { letterId } = client.body.deadLetters[0]
  const pages = [
    ['/feed', 'up to date'],
    [path, 'dead letters, oldest first.'],
    [`${path}?letter=${letterId}`, 'RunApproved'],
  ] as const
  await fineEverywhere(browser, { url: server.url, pages })
  await using tab = await browser.open(`${server.url}${path}`)
  await tab.page
    .getByRole('button', { name: /^Drop / })
    .first()
    .click()
  await tab.page.getByRole('dialog').waitFor()
  for (const [at] of pages) await tab.page.goto(`${server.url}${at}`)
  await tab.page.getByText('RunApproved').waitFor()
  expect(await tab.page.evaluate('window.executed')).toBeUndefined()
  expect(tab.troubles).toEqual([])
})
