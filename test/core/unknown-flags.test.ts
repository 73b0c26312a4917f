/** Flags of a later version: who does not know one does what it did without it. */
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { ADAPTERS, type AdapterCapabilities } from '../../src/core/engine/capabilities.ts'
import { checkCapabilities } from '../../src/core/engine/check-capabilities.ts'
import { loadPlan, openKeelson } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'

const PLAN = loadPlan(`plan: flags
version: 1.0.0
requires: [workflow.fan.dynamic]
steps: [{ id: a, run: f }]`)
const GENERATED = { generatedAt: '2026-01-01T00:00:00Z' }

it('a capability of an engine that nobody here knows changes nothing in the judgement of a plan [VER-05]', () => {
  const known = ADAPTERS.embedded
  const later: AdapterCapabilities = { ...known, capabilities: [...known.capabilities, 'time.travel' as never] }
  const [before, after] = [known, later].map((adapter) => checkCapabilities(PLAN.plan, adapter, GENERATED))
  expect([after?.status, after?.errors, after?.warnings]).toEqual(['VALID', [], []])
  expect(after?.capabilityChecks).toEqual(before?.capabilityChecks)
})

it('a flag in the manifest of a store that nobody here knows is ignored: runs are as they are without it [VER-05]', async () => {
  const memory = openMemoryStore({ clock: systemClock })
  const store = { ...memory, manifest: { ...memory.manifest, readsTheFuture: true } }
  await using keelson = await openKeelson({ store, keysDirectory: testFolder(), steps: { f: () => 7 } })
  const run = await keelson.start(PLAN)
  expect(await run.result()).toMatchObject({ status: 'COMPLETED' })
  expect((await run.snapshot()).steps.map(({ status }) => status)).toEqual(['SUCCESS'])
})

it('a capability that a plan asks for is no flag to be ignored: it is refused where it is not known [VER-05, X-45]', () => {
  const asking = loadPlan(`plan: flags
version: 1.0.0
requires: [time.travel]
steps: [{ id: a, run: f }]`)
  expect(checkCapabilities(asking.plan, 'embedded', GENERATED).errors).toMatchObject([
    { code: 'CAPABILITY_UNKNOWN', capability: 'time.travel' },
  ])
})
