/** Archival and bundles: a log leaves the store only into a bundle that was read back and verified. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fileBundleShelf } from '../../adapters/files/bundle-shelf.ts'
import { readLines } from '../../adapters/files/read-lines.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import { receiptBook, temporaryFolder } from '../../../test/fixtures/receipt-book.ts'
import { rewritten } from '../../../test/fixtures/rewritten-log.ts'
import { World } from '../../../test/fixtures/virtual-world.ts'
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import { archiveRun, archiveRuns, exportRun, type Archive } from './archive-run.ts'
import { checkBundle } from '../verify/check-bundle.ts'
import { Follower } from '../feed/follow.ts'
import { receiptFollower } from '../receipts/issue.ts'
import { linkOf } from '../log/run-bundle.ts'
import { canonicalText } from '../log/canonical.ts'
import { hexOf } from '../log/sha256.ts'

const PLAN = 'steps: [{ id: a, run: big }, { id: b, run: f }]'
const DAY_MS = 24 * 3_600_000
const LARGE = 'line\u2028break '.repeat(20_000)

async function scene() {
  const world = new World()
  const process = world.process('one', { script: { big: () => ({ text: LARGE }) } })
  const folder = await temporaryFolder()
  const book = receiptBook(folder)
  const archive: Archive = { store: process.store, shelf: fileBundleShelf(join(folder, 'archive'), systemRandom), book }
  const run = async (): Promise<RunKey> => {
    const key = await process.start(PLAN)
    await world.runUntil(() => world.hasEnded(key))
    return key
  }
  const names = async (): Promise<readonly string[]> => {
    try {
      return await readdir(join(folder, 'archive'))
    } catch {
      return []
    }
  }
  return { world, process, folder, book, archive, run, names }
}

it('moves all events of an ended run into a bundle with plan, blobs and receipts, and keeps its row [STO-15]', async () => {
  const { world, process, book, archive, run } = await scene()
  const key = await run()
  await receiptFollower(process.services, book).drain()
  const events = [...(world.disk.runs[key - 1]?.events ?? [])]
  const { headHash } = world.row(key)
  const kept = await archiveRun(archive, key)
  expect(await process.store.readEvents(key, {})).toEqual([])
  expect(world.row(key)).toMatchObject({ status: 'COMPLETED', archivedAt: world.time.now(), headHash })
  const report = await checkBundle(readLines(kept.place))
  expect(report).toMatchObject({
    run: { runId: world.row(key).runId, headHash: hexOf(headHash) },
    blobs: 1,
    chain: { checked: events.length, missingData: [] },
    receipts: { start: 'anchored', end: 'anchored', findings: [] },
  })
  const lines = (await readFile(kept.place, 'utf8')).trimEnd().split('\n')
  const parts = lines.map((line) => JSON.parse(line) as { part: string; body: Record<string, unknown> })
  expect(parts.filter(({ part }) => part === 'event').map(({ body }) => body['record'])).toEqual(
    events.map(({ record }) => record),
  )
  expect(lines.every((line) => canonicalText(JSON.parse(line)) === line)).toBe(true)
  expect(JSON.parse(String(parts.find(({ part }) => part === 'blob')?.body['text']))).toEqual({ text: LARGE })
  await expect(exportRun(archive, key, 'run.jsonl')).rejects.toMatchObject({ code: 'RUN_ARCHIVED' })
  await expect(process.advancer.advance(key)).rejects.toMatchObject({ code: 'RUN_ARCHIVED' })
})

it('takes only what ended long enough ago, oldest first [STO-15]', async () => {
  const { world, archive, run } = await scene()
  const old = [await run(), await run()]
  world.time.turnTo(world.time.now() + 90 * DAY_MS)
  const young = await run()
  const archived: RunKey[] = []
  await archiveRuns(archive, world.time.now() - 90 * DAY_MS + 1, { onArchived: ({ row }) => archived.push(row.runKey) })
  expect(archived).toEqual(old)
  expect(world.row(young).archivedAt).toBeUndefined()
})

it('deletes nothing when the bundle cannot be proved, and goes on with the others', async () => {
  const { world, archive, run, names } = await scene()
  const bad = await run()
  const good = await run()
  const stored = world.disk.runs[bad - 1]
  const event = stored?.events[3]
  if (stored === undefined || event === undefined) throw new Error('no event')
  stored.events[3] = { ...event, record: event.record.replace('"engineAttemptId":1', '"engineAttemptId":2') }
  const failed: string[] = []
  await archiveRuns(archive, world.time.now() + 1, { onFailed: (_row, { message }) => failed.push(message) })
  expect(failed).toEqual([expect.stringMatching(/^line 6: event 4: its chainHash does not fit/)])
  expect([world.row(bad).archivedAt, world.row(good).archivedAt]).toEqual([undefined, world.time.now()])
  expect(stored.events.length).toBeGreaterThan(0)
  expect(await names()).toEqual([expect.stringContaining(world.row(good).runId)])
})

it('an event that came while the bundle was written is in the bundle too', async () => {
  const { world, process, archive, run } = await scene()
  const key = await run()
  let moved = false
  const store: RunStore = {
    ...process.store,
    archiveRun: async (runKey, ticket) => {
      if (!moved) {
        moved = true
        await process.signal(key, 'PAUSE', { reason: 'too late' })
        await process.advancer.advance(key)
      }
      return process.store.archiveRun(runKey, ticket)
    },
  }
  const { place } = await archiveRun({ ...archive, store }, key)
  const { chain, run: bundled } = await checkBundle(readLines(place))
  expect(chain.headHash).toBe(hexOf(world.row(key).headHash))
  expect(bundled.nextSeq).toBe(world.row(key).nextSeq)
  expect(world.row(key).archivedAt).toBeDefined()
})

it('two archivers at once leave one whole bundle and no draft', async () => {
  const { world, archive, run, names } = await scene()
  const key = await run()
  const both = await Promise.allSettled([archiveRun(archive, key), archiveRun(archive, key)])
  expect(both.some(({ status }) => status === 'fulfilled')).toBe(true)
  expect(world.row(key).archivedAt).toBeDefined()
  expect(await names()).toHaveLength(1)
  const kept = both.find((one) => one.status === 'fulfilled')
  expect((await checkBundle(readLines(kept?.value.place ?? ''))).chain.checked).toBeGreaterThan(0)
})

it('a run that has not ended is not archived', async () => {
  const { world, process, archive } = await scene()
  const key = await process.start('steps: [{ id: w, wait: { forMs: 100000 } }]')
  await expect(archiveRun(archive, key)).rejects.toMatchObject({ code: 'RUN_NOT_TERMINAL' })
  expect(world.row(key).archivedAt).toBeUndefined()
})

async function bundle() {
  const { world, process, book, archive, run, folder } = await scene()
  const key = await run()
  await receiptFollower(process.services, book).drain()
  const { place } = await exportRun(archive, key, 'run.jsonl')
  const lines = (await readFile(place, 'utf8')).trimEnd().split('\n')
  const check = async (changed: readonly string[]) => {
    const path = join(folder, 'changed.jsonl')
    await writeFile(path, `${changed.join('\n')}\n`)
    return checkBundle(readLines(path))
  }
  return { world, key, lines, check }
}

it('a bundle torn at any line, or within one, is refused with the line where it breaks', async () => {
  const { lines, check } = await bundle()
  expect((await check(lines)).lines).toBe(lines.length)
  for (let length = 1; length < lines.length; length += 1) {
    await expect(check(lines.slice(0, length))).rejects.toMatchObject({
      code: 'BUNDLE_BROKEN',
      problems: [{ details: { line: length + 1 } }],
    })
    const half = lines[length]?.slice(0, 30) ?? ''
    await expect(check([...lines.slice(0, length), half])).rejects.toMatchObject({
      problems: [{ message: expect.stringMatching(/the line is torn/) as string, details: { line: length + 1 } }],
    })
  }
})

it('a bundle with one character changed is refused with that line; so is one with a line moved, doubled or removed', async () => {
  const { lines, check } = await bundle()
  for (const [index, line] of lines.entries()) {
    const at = line.indexOf('"part"') - 3
    const changed = `${line.slice(0, at)}${line[at] === 'a' ? 'b' : 'a'}${line.slice(at + 1)}`
    await expect(check(lines.with(index, changed))).rejects.toMatchObject({
      code: 'BUNDLE_BROKEN',
      problems: [{ details: { line: index + 1 } }],
    })
  }
  const where = { code: 'BUNDLE_BROKEN', problems: [{ details: { line: 4 } }] }
  await expect(check(lines.toSpliced(3, 1))).rejects.toMatchObject(where)
  await expect(check(lines.toSpliced(3, 0, lines[2] ?? ''))).rejects.toMatchObject(where)
  await expect(check(lines.with(3, lines[4] ?? '').with(4, lines[3] ?? ''))).rejects.toMatchObject(where)
})

it('a bundle rewritten with fresh links and a fresh chain is found out by its receipts', async () => {
  const { world, key, lines, check } = await bundle()
  const events = rewritten(world.disk.runs[key - 1]?.events ?? [], 4, (record) => ({ ...record, engineAttemptId: 7 }))
  const parts = lines.map((line) => JSON.parse(line) as { part: string; body: Record<string, unknown> })
  const forged = parts.map(({ part, body }) => {
    const event = part === 'event' ? events.find(({ runSeq }) => runSeq === body['runSeq']) : undefined
    const head = hexOf(events.at(-1)?.chainHash ?? new Uint8Array())
    if (part === 'run') return { part, body: { ...body, headHash: head } }
    return event === undefined
      ? { part, body }
      : { part, body: { ...body, record: event.record, chainHash: hexOf(event.chainHash) } }
  })
  const { receipts, chain } = await check(relinked(forged))
  expect(chain.broken).toBeUndefined()
  expect(receipts.findings).toMatchObject([{ code: 'RECEIPT_MISMATCH' }])
})

it('a bundle whose parts do not belong together is refused although its links fit', async () => {
  const { lines, check } = await bundle()
  const parts = lines.map((line) => JSON.parse(line) as { part: string; body: Record<string, unknown> })
  const forge = (part: string, change: Record<string, unknown>) =>
    check(relinked(parts.map((one) => (one.part === part ? { part, body: { ...one.body, ...change } } : one))))
  await expect(forge('plan', { text: '{}' })).rejects.toThrow(/line 2: the plan does not have its hash/)
  await expect(forge('run', { planId: 'other' })).rejects.toThrow(/line 1: its planId is not that of its events/)
  await expect(forge('run', { headHash: '0'.repeat(64) })).rejects.toThrow(
    /its log does not end at the head of the run/,
  )
  await expect(forge('blob', { text: '"other"' })).rejects.toThrow(/the blob does not have its hash/)
})

function relinked(parts: readonly { readonly part: string; readonly body: unknown }[]): readonly string[] {
  let link = ''
  return parts.map(({ part, body }) => {
    link = linkOf(link, part, body)
    return canonicalText({ body, link, part })
  })
}

it('leaves a run whose events a subscriber has not read, says who, and takes it once they were read [STO-15, P-50]', async () => {
  const { world, process, archive, run } = await scene()
  const { store, clock, random, timers } = process.services
  let isRefusing = false
  const follower = new Follower({
    store,
    clock,
    random,
    timers,
    subscriber: 'audit',
    deliver: { each: async () => (isRefusing ? Promise.reject(new Error('not now')) : undefined) },
    maxAttempts: 1000,
  })
  await follower.drain()
  const [read, unread, other] = [await run(), await run(), await run()]
  await follower.drain()
  isRefusing = true
  await process.signal(unread, 'RETRY_STEP', { stepId: 'a', reason: 'too late' })
  await process.advancer.advance(unread)
  await follower.drain()
  expect(await store.subscribersBehind(unread)).toEqual(['audit'])

  const failed: unknown[] = []
  await archiveRuns(archive, world.time.now() + DAY_MS, {
    onFailed: ({ runKey }, { code, message }) => failed.push([runKey, code, message]),
  })
  const { runId } = world.row(unread)
  expect(failed).toEqual([[unread, 'ARCHIVE_UNREAD', `events of run ${runId} have not been read by 'audit'`]])
  expect([read, unread, other].map((key) => world.row(key).archivedAt !== undefined)).toEqual([true, false, true])
  await expect(archiveRun(archive, unread)).rejects.toMatchObject({ code: 'ARCHIVE_UNREAD' })

  isRefusing = false
  await world.advanceBy(3_600_000)
  await follower.drain()
  await archiveRun(archive, unread)
  expect(world.row(unread).archivedAt).toBe(world.time.now())
})

it('takes what nobody has read when told so [STO-15]', async () => {
  const { world, process, archive, run } = await scene()
  const key = await run()
  const page = await process.store.readFeed('slow', { now: world.time.now(), limit: 1 })
  await process.store.settleFeed('slow', { position: page.position, deliveries: [] })
  await expect(archiveRun(archive, key)).rejects.toMatchObject({ code: 'ARCHIVE_UNREAD' })
  await archiveRun(archive, key, { force: true })
  expect(world.row(key).archivedAt).toBe(world.time.now())
})
