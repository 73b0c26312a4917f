/** The chain of a log, checked by the page: what it finds is what the library finds, and a reader sees it beside every event. */
import { createHash, randomBytes } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { hexOf } from '../../src/app/log/sha256.ts'
import { verifyChain } from '../../src/app/verify/chain.ts'
import type { StoredEvent } from '../../src/ports/run-store.ts'
import { ChainCheck, type ChainedEvent } from '../../web/src/verify/chain.ts'
import { canonicalOf } from '../../web/src/verify/canonical.ts'
import { hashOf } from '../../web/src/verify/sha256.ts'
import { eventsOf, recordsOf, type HistoryFile } from '../golden/history-file.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { BUSY, SAGA, testSteps } from './plans.ts'

const browser = testBrowser()

it('hashes as SHA-256 does, at every length around a block and for every kind of character', () => {
  const head = randomBytes(32)
  for (let length = 0; length < 200; length += 1) {
    const text = 'aß€😀'.repeat(length).slice(0, length).toWellFormed()
    expect(hashOf(text)).toBe(createHash('sha256').update(text).digest('hex'))
    expect(hashOf(text, head.toString('hex'))).toBe(createHash('sha256').update(head).update(text).digest('hex'))
  }
  const long = randomBytes(300_000).toString('base64')
  expect(hashOf(long)).toBe(createHash('sha256').update(long).digest('hex'))
})

const HISTORIES = globSync(join(import.meta.dirname, '..', 'golden', 'histories', '*', '*.json')).map((file) =>
  eventsOf(JSON.parse(readFileSync(file, 'utf8')) as HistoryFile),
)

const chained = ({ record, data, salt, chainHash }: StoredEvent): ChainedEvent => ({
  record,
  ...(data === undefined ? {} : { data }),
  ...(salt === undefined ? {} : { salt: hexOf(salt) }),
  chainHash: hexOf(chainHash),
})

function checkedHere(events: readonly StoredEvent[]): ChainCheck {
  const check = new ChainCheck()
  for (const event of events) check.add(chained(event))
  return check
}

it('finds every recorded log whole, from its stored bytes and from what the server gives, and the same head [P-33]', () => {
  expect(HISTORIES.length).toBeGreaterThan(100)
  for (const events of HISTORIES) {
    const known = verifyChain(events)
    const given = new ChainCheck()
    for (const record of recordsOf(events)) given.addRecord(record)
    for (const check of [checkedHere(events), given]) {
      expect([check.broken, check.checked, check.head]).toEqual([undefined, events.length, known.headHash])
      expect([check.erased, check.missing]).toEqual([known.erased, known.missingData])
    }
  }
})

type Change = (events: readonly StoredEvent[], at: number) => readonly StoredEvent[]

const CHANGES: Readonly<Record<string, Change>> = {
  removed: (events, at) => events.toSpliced(at, 1),
  doubled: (events, at) => events.toSpliced(at, 0, ...events.slice(at, at + 1)),
  'changed in its record': (events, at) =>
    replaced(events, at, (one) => ({ ...one, record: one.record.replace('"emittedAt":"2', '"emittedAt":"3') })),
  'written in another form': (events, at) =>
    replaced(events, at, (one) => ({ ...one, record: one.record.replace('{', '{ ') })),
  'torn off': (events, at) => replaced(events, at, (one) => ({ ...one, record: one.record.slice(0, 9) })),
  'changed in its data': (events, at) =>
    replaced(events, at, (one) => (one.data === undefined ? one : { ...one, data: '{"input":"another"}' })),
  'without its salt': (events, at) =>
    replaced(events, at, ({ salt, ...one }) => (salt === undefined ? one : { ...one, record: `${one.record} ` })),
}

function replaced(
  events: readonly StoredEvent[],
  at: number,
  change: (event: StoredEvent) => StoredEvent,
): readonly StoredEvent[] {
  return events.map((event, index) => (index === at ? change(event) : event))
}

it('breaks where the library breaks, whatever was done to a log', () => {
  let found = 0
  for (const [index, events] of HISTORIES.entries())
    for (const [name, change] of Object.entries(CHANGES)) {
      const at = (index * 7) % (events.length - 1)
      const forged = change(events, at)
      const known = verifyChain(forged)
      const own = checkedHere(forged)
      expect([name, own.checked, own.broken === undefined]).toEqual([name, known.checked, known.broken === undefined])
      expect(own.head).toBe(known.headHash)
      if (own.broken !== undefined) found += 1
    }
  expect(found).toBeGreaterThan(HISTORIES.length * 4)
})

it('finds a log that was hashed anew after a change: a key or a decision does not follow', () => {
  const [events = []] = HISTORIES
  const rewritten = (change: (record: string) => string): ChainCheck => {
    const check = new ChainCheck()
    for (const event of events) {
      const record = canonicalOf(JSON.parse(change(event.record)))
      check.add({ ...chained(event), record, chainHash: hashOf(record, check.head) })
    }
    return check
  }
  expect(rewritten((record) => record).broken).toBeUndefined()
  expect(rewritten((record) => record.replaceAll('"planVersion":"1.', '"planVersion":"2.')).broken).toEqual({
    runSeq: 1,
    what: 'its idempotencyKey does not follow from its fields',
  })
  expect(rewritten((record) => record.replace('"firstSeq":1', '"firstSeq":2')).broken?.what).toMatch(/^its decision/)
})

it('ticks every event of a run, tells what decided it, and copies an event and a decision as JSON [P-33]', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(BUSY, LOCAL)
  const id = await start(server, 'busy', { items: [1, 2] })
  await ended(server, id)
  const { events } = (await server.call(`GET /v1/executions/${id}/events?limit=1000`, { as: '' })).body
  await using tab = await browser.open(`${server.url}/runs/${id}?at=3&step=open&tab=event`)
  const { page, troubles } = tab
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByText('verified here', { exact: true }).waitFor()
  const shown = page.getByRole('listbox', { name: 'Events' }).getByRole('option')
  expect(await shown.filter({ hasText: 'verified in this browser' }).count()).toBe(await shown.count())
  await shown
    .filter({ hasText: /outcome of open/ })
    .first()
    .waitFor()
  const failed = events.find(({ eventType }: { readonly eventType: string }) => eventType === 'StepFailed')
  await shown.filter({ hasText: 'StepFailed' }).first().click()
  const card = page.getByRole('tabpanel', { name: 'event' })
  await card.getByText('outcome of open', { exact: true }).waitFor()
  await card.getByText(`${failed.chainHash.slice(0, 8)}…`, { exact: true }).waitFor()
  await page.keyboard.press('c')
  const copied = (): Promise<unknown> => page.evaluate('navigator.clipboard.readText()')
  await expect.poll(async () => JSON.parse(String(await copied()))).toEqual(failed)
  await page.goto(`${server.url}/runs/${id}?at=1`)
  await page.getByRole('button', { name: 'copy the decision' }).click()
  await page.getByRole('button', { name: 'copied' }).waitFor()
  const decision = events.filter((one: typeof failed) => one.decision.firstSeq === 1)
  expect(decision.length).toBeGreaterThan(0)
  expect(JSON.parse(String(await copied()))).toEqual(decision)
  expect(troubles).toEqual([])
})

it('says which event is not what was written, when what arrives was changed on its way', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(SAGA, LOCAL)
  const id = await start(server, 'saga')
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/plans`)
  const { page } = tab
  await page.route('**/events?*', async (route) => {
    const answer = await route.fetch()
    const body = await answer.text()
    await route.fulfill({ response: answer, body: body.replace('the warehouse is full', 'the warehouse was empty') })
  })
  await page.goto(`${server.url}/runs/${id}`)
  const told = page.getByRole('alert').filter({ hasText: 'The log is not what was written' })
  await told.getByText(/event \d+, its data does not have the hash in its record/).waitFor()
  expect(await page.getByRole('option').filter({ hasText: 'verified in this browser' }).count()).toBeGreaterThan(3)
  await page.getByRole('option').filter({ hasText: 'an event before it does not fit' }).first().waitFor()
  expect(await page.getByText('verified here', { exact: true }).count()).toBe(0)
})
