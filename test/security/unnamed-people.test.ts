/** Somebody who approves their own payment by not saying who they are: as the maker, as the checker, by a signal, a fork, a child. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import { untilFound } from '../fixtures/until.ts'

const planOf = (name: string, steps: string) => loadPlan(`plan: ${name}\nversion: 1.0.0\nsteps: ${steps}`)
const CHECKED = planOf('checked', '[{ id: release, manual: { title: R, rule: MakerChecker } }]')
const TWO = planOf(
  'two',
  '[{ id: one, manual: { title: One } }, { id: two, manual: { title: Two, rule: DistinctApprovers(2) } }]',
)
const HELD = planOf(
  'held',
  '[{ id: a, run: no, retry: { maxAttempts: 1 } }, { id: release, manual: { title: R, rule: MakerChecker } }]',
)
const CHILD = planOf('child', '[{ id: prepare, manual: { title: P } }]')
const APART = planOf(
  'apart',
  '[{ id: sub, plan: { planId: child } }, { id: release, manual: { title: R, rule: "IncompatibleDuties(prepare, release)" } }]',
)
const BETWEEN = planOf('between', '[{ id: sub, plan: { planId: child } }]')
const OVER = planOf(
  'over',
  '[{ id: sub, plan: { planId: between } }, { id: release, manual: { title: R, rule: MakerChecker } }]',
)
const LATER = planOf(
  'later',
  '[{ id: w, wait: { forMs: 3600000 } }, { id: release, manual: { title: R, rule: MakerChecker } }]',
)
const ABOVE = planOf('above', '[{ id: sub, plan: { planId: checked } }]')
const FREE = planOf('free', '[{ id: look, manual: { title: Look } }]')

const folders: string[] = []
const open: Keelson[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})
afterAll(() => folders.forEach((one) => rmSync(one, { recursive: true, force: true })))

async function opened(directory: string): Promise<Keelson> {
  const no = (): never => {
    throw new Error('no')
  }
  const keelson = await openKeelson({ directory, steps: { no } })
  open.push(keelson)
  return keelson
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'keelson-unnamed-'))
  folders.push(made)
  return made
}

async function tokenOf(run: RunHandle, slot: string): Promise<string> {
  return (await untilFound(async () => (await run.tasks()).find((task) => task.slot === slot))).token
}

async function childOf(keelson: Keelson, { runId }: RunHandle): Promise<RunHandle> {
  const found = await untilFound(async () => (await keelson.list()).runs.find(({ parent }) => parent?.runId === runId))
  return keelson.run(found.runId)
}

async function finish(run: RunHandle, slot: string, actorUserId: string): Promise<string> {
  return (await run.completeTask({ completionToken: await tokenOf(run, slot), outcome: 'Succeeded', actorUserId })).kind
}

async function verified(run: RunHandle, plan: typeof CHECKED): Promise<unknown> {
  const { sha256, plan: read } = plan
  return verifyDecisions(await run.records(), { plan: read, graph: compileGraph(read), sha256 }).differences
}

describe.each([
  ['memory', () => ':memory:'],
  ['SQLite', folder],
])('nobody in particular (%s)', (_name, directory) => {
  it('does not check what ana made: MakerChecker lets nobody through who is not named [MAN-08]', async () => {
    const keelson = await opened(directory())
    const run = await keelson.start(CHECKED, undefined, { actorId: 'ana' })
    for (const nobody of ['local', 'LOCAL', ' local', 'ｌｏｃａｌ', 'policy:auto'])
      await expect(finish(run, 'release', nobody)).rejects.toMatchObject({ code: 'PERSON_NOT_NAMED' })
    await expect(finish(run, 'release', 'ana')).rejects.toMatchObject({ code: 'AUTHZ_DENIED' })
    expect(await finish(run, 'release', 'ben')).toBe('accepted')
    expect((await run.result()).status).toBe('COMPLETED')
    expect(await verified(run, CHECKED)).toEqual([])
  })

  it('does not make what ana then checks: a start without a name is refused where a rule asks who made the run', async () => {
    const keelson = await opened(directory())
    await expect(keelson.start(CHECKED)).rejects.toMatchObject({
      code: 'PERSON_NOT_NAMED',
      message: expect.stringContaining(
        "the rule of 'release' needs the name of the person who makes the run: give it with --as",
      ) as string,
    })
    await expect(keelson.start(CHECKED, undefined, { queue: true })).rejects.toMatchObject({ code: 'PERSON_NOT_NAMED' })
    await keelson.publish(CHECKED)
    await expect(keelson.start(ABOVE)).rejects.toMatchObject({ code: 'PERSON_NOT_NAMED' })
    expect((await keelson.list()).runs).toEqual([])
  })

  it('does not approve in the queue what asks for a checker', async () => {
    const keelson = await opened(directory())
    const waits = { queue: true, autoApprove: false, actorId: 'ana' }
    const { runId } = await keelson.start(CHECKED, undefined, waits)
    await expect(keelson.queue.approve(runId)).rejects.toMatchObject({ code: 'PERSON_NOT_NAMED' })
    await expect(keelson.queue.approve(runId, { actorId: 'local ' })).rejects.toMatchObject({
      code: 'PERSON_NOT_NAMED',
    })
    expect(await keelson.queue.approve(runId, { actorId: 'ben' })).toEqual({ runId, status: 'APPROVED' })
  })

  it('is not counted as one of two different people, in the first task nor in the last', async () => {
    const keelson = await opened(directory())
    const run = await keelson.start(TWO)
    await expect(finish(run, 'one', 'local')).rejects.toMatchObject({ code: 'PERSON_NOT_NAMED' })
    expect(await finish(run, 'one', 'ana')).toBe('accepted')
    await expect(finish(run, 'two', 'local')).rejects.toMatchObject({ code: 'PERSON_NOT_NAMED' })
    await expect(finish(run, 'two', 'ana')).rejects.toMatchObject({ code: 'AUTHZ_DENIED' })
    expect(await finish(run, 'two', 'ben')).toBe('accepted')
  })

  it('neither skips a task with a rule nor changes a run whose makers are asked for', async () => {
    const keelson = await opened(directory())
    const run = await keelson.start(CHECKED, undefined, { actorId: 'ana' })
    await tokenOf(run, 'release')
    const change = run.signal('UPDATE_PARAMS', { params: { a: 1 }, reason: 'more' })
    await expect(change).rejects.toMatchObject({ code: 'PERSON_NOT_NAMED' })
    const later = await keelson.start(LATER, undefined, { actorId: 'ana' })
    const skip = later.signal('SKIP_STEP', { stepId: 'release', reason: 'no need' })
    await expect(skip).rejects.toMatchObject({ code: 'PERSON_NOT_NAMED' })
    const held = await keelson.start(HELD, undefined, { actorId: 'ana' })
    await held.result()
    await expect(keelson.fork(held.runId)).rejects.toMatchObject({ code: 'PERSON_NOT_NAMED' })
    expect((await keelson.list()).runs).toHaveLength(3)
  })

  it('does nothing in a child that a rule above asks about: the task above can still be completed', async () => {
    const keelson = await opened(directory())
    await keelson.publish(CHILD)
    const apart = await keelson.start(APART)
    const child = await childOf(keelson, apart)
    await expect(finish(child, 'prepare', 'local')).rejects.toMatchObject({
      code: 'PERSON_NOT_NAMED',
      message: expect.stringContaining(
        `the rule of 'release' of run ${apart.runId} needs the name of the person who completes 'prepare'`,
      ) as string,
    })
    // The rule above asks who did what, not who made the run.
    await child.signal('UPDATE_PARAMS', { params: { a: 1 }, reason: 'more' })
    expect(await finish(child, 'prepare', 'ana')).toBe('accepted')
    await expect(finish(apart, 'release', 'Ana')).rejects.toMatchObject({ code: 'AUTHZ_DENIED' })
    expect(await finish(apart, 'release', 'ben')).toBe('accepted')
    expect((await apart.result()).status).toBe('COMPLETED')
    expect(await verified(child, CHILD)).toEqual([])
    expect(await verified(apart, APART)).toEqual([])
  })

  it('does not change a child, or a child of a child, whose makers the rule of a run above asks for', async () => {
    const keelson = await opened(directory())
    await keelson.publish(CHILD)
    await keelson.publish(BETWEEN)
    const run = await keelson.start(OVER, undefined, { actorId: 'ana' })
    const child = await childOf(keelson, await childOf(keelson, run))
    const change = child.signal('UPDATE_PARAMS', { params: { a: 1 }, reason: 'more' })
    await expect(change).rejects.toMatchObject({
      code: 'PERSON_NOT_NAMED',
      message: expect.stringContaining(
        `the rule of 'release' of run ${run.runId} needs the name of the person who changes the run (UPDATE_PARAMS)`,
      ) as string,
    })
    await child.signal('UPDATE_PARAMS', { params: { a: 1 }, reason: 'more' }, { actorId: 'carl' })
    expect(await finish(child, 'prepare', 'dora')).toBe('accepted')
    for (const maker of ['ana', 'carl'])
      await expect(finish(run, 'release', maker)).rejects.toMatchObject({ code: 'AUTHZ_DENIED' })
    expect(await finish(run, 'release', 'ben')).toBe('accepted')
    expect((await run.result()).status).toBe('COMPLETED')
  })

  it('needs no name where no rule asks who: the first hour stays as short as it was', async () => {
    const keelson = await opened(directory())
    const run = await keelson.start(FREE)
    expect(await finish(run, 'look', 'local')).toBe('accepted')
    expect((await run.result()).status).toBe('COMPLETED')
    const waits = await keelson.start(FREE, undefined, { queue: true, autoApprove: false })
    expect((await keelson.queue.approve(waits.runId)).status).toBe('APPROVED')
  })
})
