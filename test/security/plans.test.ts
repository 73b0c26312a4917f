/** Attacks on plans: another tenant's plan run with my input, other bytes under a pinned name, a version that changes its meaning. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { StartContext } from '../../src/app/operations/run-operations.ts'
import { loadPlan, openKeelson, type Keelson, type OpenOptions } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'
import { servicesOf } from '../../src/library/services-of.ts'
import { operationsOf } from '../fixtures/operations-of.ts'

let directory = ''
beforeEach(() => {
  directory = testFolder()
})

const open = (more: OpenOptions = {}): Promise<Keelson> =>
  openKeelson({ directory, pollMs: 20, steps: { say: ({ who }: { who: string }) => who }, ...more })
/** A plan whose output tells whose it is. */
const child = (who: string, version = '1.0.0', planId = 'pay') =>
  loadPlan(`
plan: ${planId}
version: ${version}
output: { by: "\${steps.s.output}" }
steps: [{ id: s, run: say, with: { who: ${who} } }]`)
const parent = (ref: string, version = '1.0.0', planId = 'order') =>
  loadPlan(`
plan: ${planId}
version: ${version}
output: { by: "\${steps.call.output.by}" }
steps: [{ id: call, plan: ${ref} }]`)
const as = (tenantId: string) => ({ userId: 'ada', tenantId, roles: ['Admin'] }) as const
const context = (keelson: Keelson, tenantId: string): StartContext => ({
  tenantId,
  projectId: 'p',
  environmentId: 'e',
  runId: servicesOf(keelson).random.uuid(),
})
const NOWHERE = { code: 'PLAN_NOT_FOUND' }
const BROKEN = { code: 'PLAN_INTEGRITY_VALIDATION_FAILED' }
const EXISTS = { code: 'PLAN_VERSION_EXISTS' }

describe("another tenant's plan", () => {
  it('is not run with my input, however new it is: it is as if it did not exist', async () => {
    await using keelson = await open()
    await keelson.publish(child('mallory'), { tenantId: 'mallory' })
    await expect(keelson.start(parent('{ planId: pay }'))).rejects.toMatchObject(NOWHERE)
    await keelson.publish(child('me'))
    await keelson.publish(child('mallory', '9.9.9'), { tenantId: 'mallory' })
    const run = await keelson.start(parent('{ planId: pay }'))
    expect(await run.output()).toEqual({ by: 'me' })
  })

  it('is not found by its hash: not by a pin, nor by a reference, nor by a start, though this very process runs it', async () => {
    await using keelson = await open()
    const theirs = child('mallory')
    const ref = await keelson.planRef(theirs, { tenantId: 'mallory' })
    const operations = operationsOf(keelson)
    await operations.startRun(ref, context(keelson, 'mallory'), as('mallory'))
    const unknown = `no stored plan has the hash ${theirs.sha256}`
    await expect(operations.startRun(ref, context(keelson, 'acme'), as('acme'))).rejects.toMatchObject({
      problems: [{ ...NOWHERE, message: unknown }],
    })
    await expect(
      keelson
        .onEngine('embedded')
        .startRun(ref, { ...context(keelson, 'acme'), targetAdapter: 'embedded' }, as('acme')),
    ).rejects.toMatchObject(NOWHERE)
    await expect(keelson.start(ref)).rejects.toMatchObject(NOWHERE)
    await expect(keelson.start({ planId: 'pay', sha256: theirs.sha256 })).rejects.toMatchObject(NOWHERE)
    await expect(keelson.start(parent(`{ planId: pay, sha256: ${theirs.sha256} }`))).rejects.toMatchObject(NOWHERE)
    expect((await keelson.list()).runs).toEqual([])
  })

  it('under the same id and version stands in nobody’s way, and equal bytes belong to each of both', async () => {
    const mine = child('me')
    {
      await using keelson = await open()
      await keelson.publish(child('mallory'), { tenantId: 'mallory' })
      await keelson.publish(mine, { tenantId: 'acme' })
      await keelson.start(mine)
      await keelson.publish(mine)
    }
    await using keelson = await open()
    expect(await (await keelson.start({ planId: 'pay', planVersion: '1.0.0' })).output()).toEqual({ by: 'me' })
  })
})

describe('a pinned child plan', () => {
  it('is run with the pinned bytes, though newer ones have its name', async () => {
    await using keelson = await open()
    const old = await keelson.publish(child('old'))
    await keelson.publish(child('new'), { replaceVersion: true })
    await keelson.publish(child('newest', '2.0.0'))
    for (const ref of [
      `{ planId: pay, sha256: ${old} }`,
      `{ planId: pay, planVersion: 1.0.0, sha256: ${old}, schemaVersion: v1.0, uri: 'plan:sha256:${old}' }`,
    ]) {
      const plan = parent(ref, '1.0.0', `order-${ref.length}`)
      expect(await (await keelson.start(plan)).output()).toEqual({ by: 'old' })
    }
  })

  it.each([
    ['bytes that nobody published under its name', (_mine: string) => `{ planId: pay, sha256: ${'e'.repeat(64)} }`],
    ['those of another version', (mine: string) => `{ planId: pay, planVersion: 2.0.0, sha256: ${mine} }`],
    ['those of another plan', (mine: string) => `{ planId: other, sha256: ${mine} }`],
    ['those of another format', (mine: string) => `{ planId: pay, sha256: ${mine}, schemaVersion: v1.9 }`],
  ])('that means %s is refused before anything is written', async (_what, refOf) => {
    await using keelson = await open()
    const mine = await keelson.publish(child('me'))
    await keelson.publish(child('me', '2.0.0'))
    await keelson.publish(child('me', '1.0.0', 'other'))
    const plan = parent(refOf(mine))
    await expect(keelson.start(plan)).rejects.toMatchObject(BROKEN)
    await expect(keelson.start(plan, {}, { queue: true })).rejects.toMatchObject(BROKEN)
    expect((await keelson.list()).runs).toEqual([])
    expect(await servicesOf(keelson).store.getPlan('local', plan.sha256)).toBeUndefined()
  })

  it.each(['A'.repeat(64), 'a'.repeat(63), 'a'.repeat(65), `${'a'.repeat(64)} `, 'sha256:00', ''])(
    'whose pin is malformed (%j) is no plan, and no name to start one by',
    async (sha256) => {
      await using keelson = await open()
      expect(() => parent(`{ planId: pay, sha256: '${sha256}' }`)).toThrow()
      await expect(keelson.start({ planId: 'pay', sha256 })).rejects.toMatchObject({ code: 'PLAN_REF_INVALID' })
    },
  )

  it('in a child’s child, or in each item of a list, is held to its pin before the first run begins', async () => {
    await using keelson = await open()
    const mine = await keelson.publish(child('me'))
    await keelson.publish(parent(`{ planId: pay, sha256: ${'f'.repeat(64)} }`, '1.0.0', 'middle'))
    await expect(keelson.start(parent('{ planId: middle }'))).rejects.toMatchObject(BROKEN)
    const each = (sha256: string, version: string) =>
      loadPlan(`{ plan: each, version: ${version}, output: { all: "\${steps.e.output}" },
        steps: [{ id: e, forEach: 'input.n', plan: { planId: pay, sha256: ${sha256} } }] }`)
    await expect(keelson.start(each('f'.repeat(64), '1.0.0'), { n: [] })).rejects.toMatchObject(BROKEN)
    const run = await keelson.start(each(mine, '2.0.0'), { n: [1, 2] })
    expect(await run.output()).toEqual({ all: [{ by: 'me' }, { by: 'me' }] })
    expect((await keelson.list()).runs).toHaveLength(3)
  })

  it('that is not there, at any depth, is told before the first run begins', async () => {
    await using keelson = await open()
    await keelson.publish(parent('{ planId: pay }', '1.0.0', 'middle'))
    await expect(keelson.start(parent('{ planId: middle }'))).rejects.toMatchObject({
      ...NOWHERE,
      message: expect.stringContaining('middle@1.0.0 runs as a child') as unknown,
    })
    expect((await keelson.list()).runs).toEqual([])
  })
})

describe('a version', () => {
  it('means one plan: another under it is neither published nor started, and both hashes are told', async () => {
    await using keelson = await open()
    const [first, second] = [child('me'), child('me too')]
    await keelson.publish(first)
    await expect(keelson.publish(second)).rejects.toMatchObject({
      ...EXISTS,
      problems: [{ details: { storedSha256: first.sha256, sha256: second.sha256 } }],
    })
    await expect(keelson.start(second)).rejects.toMatchObject(EXISTS)
    await expect(keelson.start(second, {}, { queue: true })).rejects.toMatchObject(EXISTS)
    const inline = operationsOf(keelson).startRun(second, context(keelson, 'local'), as('local'))
    await expect(inline).rejects.toMatchObject(EXISTS)
    expect((await keelson.list()).runs).toEqual([])
    expect(await keelson.publish(child('me too', '1.0.1'))).toMatch(/^[0-9a-f]{64}$/)
  })

  it('that was only run is taken too, though nothing was published by that', async () => {
    await using keelson = await open()
    await (await keelson.start(child('me'))).result()
    await expect(keelson.start(parent('{ planId: pay }'))).rejects.toMatchObject(NOWHERE)
    await expect(keelson.start({ planId: 'pay' })).rejects.toMatchObject(NOWHERE)
    await expect(keelson.publish(child('me too'))).rejects.toMatchObject(EXISTS)
  })

  it('is replaced where the caller says so, there and back again', async () => {
    await using keelson = await open({ replaceVersion: true })
    for (const who of ['one', 'two', 'one']) {
      await keelson.publish(child(who))
      expect(await (await keelson.start({ planId: 'pay' })).output()).toEqual({ by: who })
    }
    await expect(keelson.publish(child('three'), { replaceVersion: false })).rejects.toMatchObject(EXISTS)
    await expect(keelson.start(child('three'), {}, { replaceVersion: false })).rejects.toMatchObject(EXISTS)
  })

  it('is not changed by a plan that lies about its hash or its name', async () => {
    await using keelson = await open()
    const [mine, theirs] = [child('me'), child('mallory', '1.0.0', 'evil')]
    await expect(keelson.publish({ ...theirs, sha256: mine.sha256 })).rejects.toMatchObject(BROKEN)
    await keelson.publish({ ...theirs, plan: mine.plan })
    await expect(keelson.start({ planId: 'pay' })).rejects.toMatchObject(NOWHERE)
    const run = await keelson.start({ ...child('mallory', '3.0.0', 'evil'), plan: mine.plan })
    expect(run.row).toMatchObject({ planId: 'evil', planVersion: '3.0.0' })
    await run.result()
  })
})
