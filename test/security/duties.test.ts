/**
 * Somebody who wants to approve what they made themselves: by a fork, by a second spelling of their name, by two inbox rows at
 * once, by an inbox row that goes past the front door, by the queue, by a child plan.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LogRecord } from '../../src/core/events/event.ts'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import { memoryPlanter, postgresPlanter, sqlitePlanter, type Planter } from '../chaos/poison-planters.ts'
import { untilFound } from '../fixtures/until.ts'
import { servicesOf } from '../../src/library/services-of.ts'

const planOf = (name: string, steps: string) => loadPlan(`plan: ${name}\nversion: 1.0.0\n${steps}`)

const CHECKED = planOf(
  'checked',
  'steps: [{ id: release, manual: { title: Release, rule: MakerChecker } }, { id: after, run: f }]',
)
const FAILS = planOf(
  'fails-first',
  'steps: [{ id: a, run: f }, { id: b, run: no }, { id: release, manual: { title: Release, rule: MakerChecker } }]',
)
const TWO = planOf(
  'two-people',
  'steps: [{ id: one, manual: { title: One } }, { id: two, manual: { title: Two, rule: DistinctApprovers(2) } }]',
)
const APART = planOf(
  'apart',
  'steps: [{ id: prepare, manual: { title: P } }, { id: no, run: no }, { id: release, manual: { title: R, rule: "IncompatibleDuties(prepare, release)" } }]',
)

/** Ways to write one name. */
const SAME = [
  'Ana',
  'ANA',
  ' ana',
  'ana ',
  'a na',
  '\u00a0ana',
  'ana\u2003',
  'ａｎａ',
  'ＡＮＡ',
  'a\u200bna',
  'ana\ufeff',
  'a\u00adna',
  'ana\u2060',
  'ana\u3164',
  '\u202eana',
  'an\u0000a'.replace('\u0000', '\u0001'),
]

async function taskOf(run: RunHandle, slot: string): Promise<string> {
  return (await untilFound(async () => (await run.tasks()).find((task) => task.slot === slot))).token
}

async function complete(run: RunHandle, slot: string, actorUserId: string, completionToken?: string): Promise<string> {
  const token = completionToken ?? (await taskOf(run, slot))
  return run.completeTask({ completionToken: token, outcome: 'Succeeded', actorUserId }).then(
    ({ kind }) => kind,
    (thrown: { readonly code: string }) => thrown.code,
  )
}

/** An inbox row as somebody writes it who has the store and no scruples. */
async function post(
  keelson: Keelson,
  run: RunHandle,
  slot: string,
  actorId: string | undefined,
  n: number,
): Promise<void> {
  const by = actorId === undefined ? {} : { by: { actorId } }
  const result = { kind: 'completed', output: null, artifactRefs: [], durationMs: 0, ...by }
  const body = JSON.stringify({ slot, attempt: 1, engineAttempt: 1, result })
  await servicesOf(keelson).store.insertInbox(run.row, { inboxId: `manual:forged-${slot}-${n}`, kind: 'manual', body })
}

async function settled(run: RunHandle, is: (records: readonly LogRecord[]) => boolean): Promise<readonly LogRecord[]> {
  return untilFound(async () => {
    const records = await run.records()
    return is(records) ? records : undefined
  })
}

const refusals = (records: readonly LogRecord[]): readonly LogRecord[] =>
  records.filter(({ eventType }) => eventType === 'SignalRejected')

const follows = (records: readonly LogRecord[], { plan, sha256 }: typeof CHECKED): readonly unknown[] =>
  verifyDecisions(records, { plan, graph: compileGraph(plan), sha256 }).differences

describe.each([
  ['memory', memoryPlanter],
  ['SQLite', sqlitePlanter],
  ['PostgreSQL', postgresPlanter],
] as const)('who made a run, in %s,', (_name, makePlanter) => {
  let planter: Planter
  let keelson: Keelson
  const keysDirectory = mkdtempSync(join(tmpdir(), 'keelson-duties-'))
  beforeAll(async () => {
    planter = await makePlanter()
    const steps = {
      f: () => 'done',
      no: () => {
        throw Object.assign(new Error('no'), { name: 'ValidationError' })
      },
    }
    keelson = await openKeelson({ store: await planter.open(), steps, keysDirectory })
  })
  afterAll(async () => {
    await keelson.close()
    await planter.close()
    rmSync(keysDirectory, { recursive: true, force: true })
  })

  it('is not somebody else by case, width or blanks: every spelling is refused [MAN-08]', async () => {
    const run = await keelson.start(CHECKED, {}, { actorId: 'ana' })
    for (const name of SAME) expect([name, await complete(run, 'release', name)]).toEqual([name, 'AUTHZ_DENIED'])
    expect(await complete(run, 'release', 'anna')).toBe('accepted')
    const { status } = await run.result()
    expect(status).toBe('COMPLETED')
    // Ids stand in the log as they were given.
    const other = await keelson.start(CHECKED, {}, { actorId: 'ana' })
    expect(await complete(other, 'release', 'Bo ')).toBe('accepted')
    const [, , , done] = await settled(other, (records) => records.some((one) => one.stepId === 'after'))
    expect(await settled(other, (all) => all.some((one) => one.payload?.['actorId'] === 'Bo '))).toContainEqual(
      expect.objectContaining({ eventType: 'StepCompleted', stepId: 'release' }),
    )
    expect(done).toBeDefined()
  })

  it('does not get past the front door by an inbox row in the store: it is refused where it is applied, on record, and another may still use the token [MAN-07]', async () => {
    const run = await keelson.start(CHECKED, {}, { actorId: 'ana' })
    const token = await taskOf(run, 'release')
    await post(keelson, run, 'release', 'Ana', 1)
    await post(keelson, run, 'release', undefined, 2)
    await run.signal('PAUSE')
    await run.signal('RESUME')
    const records = await settled(run, (all) => refusals(all).length === 2)
    expect(
      refusals(records).map(({ payload }) => [payload?.['target'], payload?.['actorId'], payload?.['reasonCode']]),
    ).toEqual([
      ['release', 'Ana', 'AUTHZ_DENIED'],
      ['release', undefined, 'AUTHZ_DENIED'],
    ])
    expect(refusals(records)[0]?.payload?.['reason']).toBe(
      "Ana may not complete 'release': ana started this run (MakerChecker)",
    )
    expect(await complete(run, 'release', 'bo', token)).toBe('accepted')
    expect((await run.result()).status).toBe('COMPLETED')
    expect(follows(await run.records(), CHECKED)).toEqual([])
  })

  it('keeps nobody else from a task by an inbox row of their own that waits under its token [MAN-07]', async () => {
    const run = await keelson.start(CHECKED, {}, { actorId: 'ana' })
    const token = await taskOf(run, 'release')
    const { createHash } = await import('node:crypto')
    const first = `manual:${createHash('sha256').update(token).digest('hex')}`
    const result = { kind: 'completed', output: null, artifactRefs: [], durationMs: 0, by: { actorId: 'ana' } }
    const body = JSON.stringify({ slot: 'release', attempt: 1, engineAttempt: 1, result })
    await servicesOf(keelson).store.insertInbox(run.row, { inboxId: first, kind: 'manual', body })
    expect(await complete(run, 'release', 'bo', token)).toBe('accepted')
    expect((await run.result()).status).toBe('COMPLETED')
    expect(refusals(await run.records())).toHaveLength(1)
    expect(await complete(run, 'release', 'bo', token)).toBe('repeat')
    expect(await complete(run, 'release', 'eve', token)).toBe('conflict')
    expect(follows(await run.records(), CHECKED)).toEqual([])
  })

  it('is a maker of every fork of it, and so is who forks [MAN-08]', async () => {
    const run = await keelson.start(FAILS, {}, { actorId: 'ana' })
    expect((await run.result()).status).toBe('FAILED')
    const plan = FAILS
    const mended = await keelson.fork(run.runId, { actorId: 'bo' })
    await mended.result()
    const again = await keelson.fork(mended.runId, { actorId: 'cy' })
    await again.result()
    const [approved] = await again.records()
    expect(approved?.payload?.['inherited']).toEqual({ makers: ['bo', 'ana'], approvals: [], stoppedBy: [] })
    expect(follows(await again.records(), plan)).toEqual([])
  })

  it('one of two people stays one when both of their completions wait together [MAN-08]', async () => {
    const run = await keelson.start(TWO, {}, { actorId: 'maker' })
    await taskOf(run, 'one')
    await run.signal('PAUSE')
    await post(keelson, run, 'one', 'ana', 1)
    await post(keelson, run, 'two', 'ana', 1)
    await run.signal('RESUME')
    await taskOf(run, 'two')
    expect(await complete(run, 'two', 'ANA')).toBe('AUTHZ_DENIED')
    await post(keelson, run, 'two', 'a\u200bna', 2)
    await run.signal('PAUSE')
    await run.signal('RESUME')
    await settled(run, (all) => refusals(all).length > 0)
    expect(await complete(run, 'two', 'bo')).toBe('accepted')
    expect((await run.result()).status).toBe('COMPLETED')
    expect(follows(await run.records(), TWO)).toEqual([])
  })

  it('of a duty is known in a fork: who prepared does not release there [MAN-08]', async () => {
    const run = await keelson.start(APART, {}, { actorId: 'maker' })
    expect(await complete(run, 'prepare', 'ana')).toBe('accepted')
    expect((await run.result()).status).toBe('FAILED')
    const fork = await keelson.fork(run.runId, { actorId: 'maker' })
    const [first, , ...rest] = (await fork.result(), await fork.records())
    expect(first?.payload?.['inherited']).toEqual({
      makers: ['maker'],
      approvals: [{ actorId: 'ana', duties: ['prepare'] }],
      stoppedBy: [],
    })
    expect(rest.find((one) => one.eventType === 'StepCompleted' && one.stepId === 'prepare')?.payload).toMatchObject({
      actorId: 'ana',
      reusedFrom: { runId: run.runId },
    })
    expect(follows(await fork.records(), APART)).toEqual([])
  })

  it('does not approve it in the queue where its plan asks for a checker, at the door or by an inbox row [MAN-08]', async () => {
    const waits = { queue: true, autoApprove: false, actorId: 'ana' } as const
    const run = await keelson.start(CHECKED, {}, waits)
    for (const actorId of ['ana', 'ANA', 'ana\u200b'])
      await expect(keelson.queue.approve(run.runId, { actorId })).rejects.toMatchObject({ code: 'AUTHZ_DENIED' })
    for (const actorId of [' ', '\u200b', 'policy:auto'])
      await expect(keelson.queue.approve(run.runId, { actorId })).rejects.toMatchObject({
        code: expect.stringMatching(/USAGE|AUTHZ_DENIED/) as string,
      })
    const body = JSON.stringify({ approvedBy: 'Ana' })
    await servicesOf(keelson).store.insertInbox(run.row, { inboxId: 'approve:forged', kind: 'approve', body })
    expect(await keelson.queue.approve(run.runId, { actorId: 'bo' })).toEqual({ runId: run.runId, status: 'APPROVED' })
    const records = await run.records()
    expect(records.map(({ eventType }) => eventType)).toEqual(['RunQueued', 'SignalRejected', 'RunApproved'])
    expect(records[1]?.payload).toMatchObject({ signalType: 'APPROVE', actorId: 'Ana', reasonCode: 'AUTHZ_DENIED' })
    expect(follows(records, CHECKED)).toEqual([])
  })

  it('is the maker of what its children ask people for [MAN-08]', async () => {
    await keelson.publish(CHECKED)
    const parent = planOf(`parent-of-checked`, 'steps: [{ id: c, plan: { planId: checked } }]')
    const run = await keelson.start(parent, {}, { actorId: 'ana' })
    const child = await untilFound(async () => {
      const [id] = (await run.related()).children.map((one) => one.runId)
      return id === undefined ? undefined : keelson.run(id).catch(() => undefined)
    })
    expect(await complete(child, 'release', 'Ana ')).toBe('AUTHZ_DENIED')
    expect(await complete(child, 'release', 'bo')).toBe('accepted')
    expect((await run.result()).status).toBe('COMPLETED')
  })

  it('has a name: blanks start, complete and signal nothing', async () => {
    for (const actorId of ['', ' ', '\u200b\u2060'])
      await expect(keelson.start(CHECKED, {}, { actorId })).rejects.toMatchObject({ code: 'USAGE' })
    const run = await keelson.start(CHECKED, {}, { actorId: 'ana' })
    for (const name of ['', '\u3000', '\u00ad'])
      expect(await complete(run, 'release', name)).toBe('TASK_COMPLETION_INVALID')
    await expect(run.signal('PAUSE', {}, { actorId: '\u200b' })).rejects.toMatchObject({
      code: 'SIGNAL_INVALID_PAYLOAD',
    })
    await run.cancel()
  })
})
