/** The bytes that a plan is made of: hashed first, then unpacked, read or imported, and on record beside the plan itself. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import { definePlan } from '../../src/core/plan/write/builder.ts'
import type { PlanRef } from '../../src/core/plan/compile/plan-ref.ts'
import { importPlan, loadPlan, openKeelson } from '../../src/main.ts'
import { fileFolder, testFolder } from '../fixtures/folder.ts'
import { refusal } from '../fixtures/refusal.ts'
import { ADA, YAML, EXECUTION_PLAN, sha256, type World, worldOf, runsOf, onRecord } from '../fixtures/plan-bytes.ts'

let world: World

beforeEach(async () => {
  const folder = testFolder()
  const keelson = await openKeelson({ directory: ':memory:', planFiles: folder, steps: { echo: () => 1 } })
  world = worldOf(keelson, folder)
  return () => keelson.close()
})

describe('a run has on record', () => {
  it('the hash of the text beside that of the plan that was made of it [X-108]', async () => {
    const plan = loadPlan(YAML)
    expect(plan.source).toEqual({ sha256: sha256(YAML), sizeBytes: YAML.length })
    expect(plan.source?.sha256).not.toBe(plan.sha256)
    const run = await world.keelson.start(plan, {})
    expect(await onRecord(run)).toEqual({
      source: { sha256: sha256(YAML), sizeBytes: YAML.length },
      planRef: {
        uri: `plan:sha256:${plan.sha256}`,
        sha256: plan.sha256,
        schemaVersion: 'v1.0',
        planId: 'order',
        planVersion: '1.0.0',
      },
    })
    expect(run.row.planSha256).toBe(plan.sha256)
  })

  it('the same while it waits in the queue, from its first event on', async () => {
    const run = await world.keelson.start(loadPlan(YAML), {}, { queue: true })
    expect(await run.planSource()).toEqual({ sha256: sha256(YAML), sizeBytes: YAML.length })
  })

  it('the same where it is started by the name of a published plan, also of another project; published again, the first bytes stay [X-41, X-108]', async () => {
    const { keelson } = world
    await keelson.publish(loadPlan(YAML))
    const named = await keelson.start({ planId: 'order' }, {})
    expect((await onRecord(named)).source).toEqual({ sha256: sha256(YAML), sizeBytes: YAML.length })
    await keelson.publish(loadPlan(`${YAML}# more\n`))
    expect(await (await keelson.start({ planId: 'order', planVersion: '1.0.0' }, {})).planSource()).toEqual({
      sha256: sha256(YAML),
      sizeBytes: YAML.length,
    })
    await keelson.publish(importPlan(EXECUTION_PLAN))
    expect(await (await keelson.start({ planId: 'nightly' }, {})).planSource()).toEqual({
      sha256: sha256(EXECUTION_PLAN),
      sizeBytes: EXECUTION_PLAN.length,
      from: 'dvt',
    })
  })

  it('the same in a fork, and in a fork with the same plan in other words those', async () => {
    const run = await world.keelson.start(loadPlan(YAML), {})
    await run.result()
    expect(await (await world.keelson.fork(run.runId)).planSource()).toEqual(await run.planSource())
    const respelt = `${YAML}# more\n`
    const other = await world.keelson.fork(run.runId, { plan: loadPlan(respelt) })
    expect(other.row.planSha256).toBe(run.row.planSha256)
    expect(await other.planSource()).toEqual({ sha256: sha256(respelt), sizeBytes: respelt.length })
  })

  it('nothing more where the bytes are the plan’s own, or there were none', async () => {
    const canonical = loadPlan(loadPlan(YAML).text)
    expect(canonical).not.toHaveProperty('source')
    const written = definePlan({ plan: 'made', version: '1.0.0' }, ({ step }) => ({
      steps: [step('a', { run: 'echo' })],
    }))
    for (const plan of [canonical, written])
      expect((await onRecord(await world.keelson.start(plan, {}))).source).toBeUndefined()
    await world.keelson.publish(canonical)
    expect((await onRecord(await world.keelson.start({ planId: 'order' }, {}))).source).toBeUndefined()
  })

  it('of an imported document the hash of its own bytes, and whose it was [X-108]', async () => {
    const plan = importPlan(EXECUTION_PLAN)
    const source = { sha256: sha256(EXECUTION_PLAN), sizeBytes: EXECUTION_PLAN.length, from: 'dvt' }
    expect(plan.source).toEqual(source)
    expect((await onRecord(await world.keelson.start(plan, {}))).source).toEqual(source)
  })
})

describe('a reference to bytes as they are', () => {
  it('starts an ExecutionPlan of S2: verified, imported, compiled, with both hashes on record [X-41, X-108, PLN-05]', async () => {
    const ref = world.refTo('nightly.json', EXECUTION_PLAN, { planId: 'nightly', sizeBytes: EXECUTION_PLAN.length })
    const run = await world.started(ref)
    expect((await run.result()).status).toBe('COMPLETED')
    const { source, planRef } = await onRecord(run)
    const sizeBytes = EXECUTION_PLAN.length
    expect(source).toEqual({ sha256: sha256(EXECUTION_PLAN), sizeBytes, from: 'dvt', uri: ref.uri })
    expect(planRef).toMatchObject({ sha256: importPlan(EXECUTION_PLAN).sha256, planId: 'nightly' })
  })

  it('starts a plan of ours in any spelling, also by the plain door', async () => {
    const ref = world.refTo('order.yaml', YAML)
    for (const run of [await world.started(ref), await world.keelson.start(ref, {})]) {
      expect((await run.result()).status).toBe('COMPLETED')
      expect(await run.planSource()).toEqual({ sha256: ref.sha256, sizeBytes: YAML.length, uri: ref.uri })
      expect(run.row.planSha256).toBe(loadPlan(YAML).sha256)
    }
  })

  it('starts nothing of bytes that were changed or cut short; both hashes are told [X-41, PLN-05]', async () => {
    const ref = world.refTo('order.yaml', YAML)
    for (const bytes of [YAML.replace('echo', 'evil'), YAML.slice(0, -20), '', `${YAML}\0`, '{']) {
      writeFileSync(join(world.folder, 'order.yaml'), bytes)
      const { problems } = await refusal(world.started(ref))
      expect(problems[0]).toMatchObject({
        code: 'PLAN_INTEGRITY_VALIDATION_FAILED',
        retryable: false,
        details: {
          expectedSha256: sha256(YAML),
          actualSha256: sha256(bytes),
          planUri: ref.uri,
          planId: 'order',
          planVersion: '1.0.0',
        },
      })
    }
    expect(await runsOf(world.keelson)).toBe(0)
  })

  it('hashes packed bytes as they are, and unpacks them after that [X-41]', async () => {
    const packed = gzipSync(YAML)
    const ref = world.refTo('order.yaml.gz', packed, { compression: 'gzip', sizeBytes: packed.length })
    const run = await world.started(ref)
    expect(await run.planSource()).toEqual({ sha256: sha256(packed), sizeBytes: packed.length, uri: ref.uri })
    expect(run.row.planSha256).toBe(loadPlan(YAML).sha256)
  })

  it('refuses the hash of what is packed, what is not packed, and more than a plan may have [X-41]', async () => {
    const packed = gzipSync(YAML)
    const ofText = { compression: 'gzip', sha256: sha256(YAML) } as const
    expect(await world.refused(world.refTo('a.gz', packed, ofText))).toBe('PLAN_INTEGRITY_VALIDATION_FAILED')
    expect(await world.refused(world.refTo('b.gz', YAML, { compression: 'gzip' }))).toBe(
      'PLAN_REF_INVALID /compression',
    )
    expect(await world.refused(world.refTo('c.gz', packed))).toBe('PLAN_SYNTAX')
    const bomb = gzipSync(Buffer.alloc(LIMITS.planBytes + 1, 0x20))
    expect(bomb.length).toBeLessThan(20_000)
    expect(await world.refused(world.refTo('d.gz', bomb, { compression: 'gzip' }))).toBe('PLAN_TOO_LARGE')
    // What has another hash is never unpacked: the bomb is refused for its hash.
    const other = { compression: 'gzip', sha256: sha256(YAML) } as const
    expect(await world.refused(world.refTo('d.gz', bomb, other))).toBe('PLAN_INTEGRITY_VALIDATION_FAILED')
  })

  it('has the schema version of the plan, where the plan says one [X-42, PLN-14]', async () => {
    for (const schemaVersion of ['v1.0', 'v1.1', 'v1.2'])
      expect((await (await world.started(world.refTo('order.yaml', YAML, { schemaVersion }))).result()).status).toBe(
        'COMPLETED',
      )
    const said = `schemaVersion: v1.1\n${YAML.replace('plan: order', 'plan: said')}`
    const refTo = (schemaVersion: string): PlanRef => world.refTo('said.yaml', said, { schemaVersion, planId: 'said' })
    expect((await (await world.started(refTo('v1.1'))).result()).status).toBe('COMPLETED')
    const { problems } = await refusal(world.started(refTo('v1.2')))
    expect(problems[0]).toMatchObject({
      code: 'PLAN_SCHEMA_VERSION_MISMATCH',
      pointer: '/schemaVersion',
      retryable: false,
    })
  })

  it('has no newer minor and no other major [X-42]', async () => {
    for (const schemaVersion of ['v1.3', 'v2.0', 'v0.2'])
      expect(await world.refused(world.refTo('order.yaml', YAML, { schemaVersion }))).toBe(
        'SCHEMA_VERSION_UNKNOWN /schemaVersion',
      )
  })

  it('limits what is read: by its size, by the most that a plan may have, by its time [PLN-15]', async () => {
    for (const sizeBytes of [YAML.length - 1, YAML.length + 1])
      expect(await world.refused(world.refTo('order.yaml', YAML, { sizeBytes }))).toBe('PLAN_REF_INVALID /sizeBytes')
    const large = Buffer.alloc(LIMITS.planBytes + 1, 0x20)
    expect(await world.refused(world.refTo('large.yaml', large))).toBe('PLAN_TOO_LARGE')
    const folder = `${pathToFileURL(world.folder).href}/`
    const longest = folder + 'a/'.repeat(LIMITS.planUriChars).slice(0, LIMITS.planUriChars - folder.length)
    expect(await world.refused(world.refTo('order.yaml', YAML, { uri: longest }))).toBe('PLAN_NOT_FOUND')
    expect(await world.refused(world.refTo('order.yaml', YAML, { uri: `${longest}b` }))).toBe('PLAN_REF_INVALID /uri')
    const expiresAt = '2020-01-01T00:00:00Z'
    expect(await world.refused(world.refTo('order.yaml', YAML, { expiresAt }))).toBe('PLAN_REF_INVALID /expiresAt')
  })
})

describe('a place that no plan may come from', () => {
  it('is any that is not in the folder, whatever way leads there', async () => {
    const outside = join(testFolder(), 'order.yaml')
    writeFileSync(outside, YAML)
    symlinkSync(outside, join(world.folder, 'link.yaml'))
    mkdirSync(join(world.folder, 'sub'))
    const inside = pathToFileURL(world.folder).href
    const uris = [
      pathToFileURL(outside).href,
      `${inside}/link.yaml`,
      `${inside}/sub`,
      `${inside}/`,
      `${inside}/../../etc/passwd`,
      `${inside}/%2e%2e/%2e%2e/etc/passwd`,
      `${inside}/sub%2forder.yaml`,
      'file:order.yaml',
      'file://host/order.yaml',
      'FILE:///etc/passwd',
      'file:///etc/passwd',
    ]
    const ref = world.refTo('order.yaml', YAML)
    for (const uri of uris) expect(await world.refused({ ...ref, uri }), uri).toBe('PLAN_URI_NOT_ALLOWED')
    expect(await world.refused({ ...ref, uri: `${inside}/nothing.yaml` })).toBe('PLAN_NOT_FOUND')
  })

  it('is every file where no folder was named, and for an actor in production', async () => {
    const ref = world.refTo('order.yaml', YAML)
    const scope = { tenantId: 'local', projectId: 'default', environmentId: 'local', runId: crypto.randomUUID() }
    const inEarnest = world.keelson.as(ADA, { production: true }).startRun(ref, scope)
    expect((await refusal(inEarnest)).code).toBe('PLAN_URI_NOT_ALLOWED')
    await using closed = await openKeelson({ directory: ':memory:', steps: { echo: () => 1 } })
    expect(await worldOf(closed, world.folder).refused(ref)).toBe('PLAN_URI_NOT_ALLOWED')
  })

  it.each(['https://plans.example/p', 's3://bucket/p', 'gs://bucket/p', 'azure://account/container/p'])(
    'is %s, for now: the refusal says so',
    async (uri) => {
      const error = await refusal(world.started(world.refTo('order.yaml', YAML, { uri })))
      expect(error.code).toBe('PLAN_URI_NOT_ALLOWED')
      expect(error.message).toContain(`plans are not fetched by ${uri.split(':')[0] ?? ''} yet`)
    },
  )
})

describe('verifying a run with the bytes of its plan', () => {
  const directory = fileFolder()

  it('proves that they are those on record and give its plan, or says what they are not [X-108]', async () => {
    await using keelson = await openKeelson({ directory, steps: { echo: () => 1 } })
    const run = await keelson.start(loadPlan(YAML), {})
    await run.result()
    const proof = await keelson.maintenance.verify(run.row, { source: YAML })
    expect(proof).toMatchObject({
      planSource: { sha256: sha256(YAML) },
      source: { sha256: sha256(YAML), onRecord: true, remade: true },
    })
    expect(proof.findings).toBeUndefined()
    // The same plan in other words is not what the run was started with.
    const respelt = `${YAML}# more\n`
    expect(loadPlan(respelt).sha256).toBe(loadPlan(YAML).sha256)
    const other = await keelson.maintenance.verify(run.row, { source: Buffer.from(respelt) })
    expect(other.source).toEqual({ sha256: sha256(respelt), onRecord: true, remade: false })
    expect(other.findings).toEqual([
      {
        code: 'PLAN_INTEGRITY_VALIDATION_FAILED',
        message: `the plan was made of ${sha256(YAML)}; these bytes are ${sha256(respelt)}`,
      },
    ])
  })

  it('compares only the plan where the run says nothing of its bytes', async () => {
    await using keelson = await openKeelson({ directory, steps: { echo: () => 1 }, replaceVersion: true })
    const { text, sha256: plan } = loadPlan(YAML)
    const run = await keelson.start(loadPlan(text), {})
    await run.result()
    const proof = await keelson.maintenance.verify(run.row, { source: YAML })
    expect(proof.source).toEqual({ sha256: sha256(YAML), onRecord: false, remade: true })
    expect(proof.findings).toBeUndefined()
    const wrong = YAML.replace('echo', 'other')
    const found = await keelson.maintenance.verify(run.row, { source: wrong })
    expect(found.findings?.[0]?.message).toBe(
      `the run has the plan ${plan}; these bytes give ${loadPlan(wrong).sha256}`,
    )
  })
})
