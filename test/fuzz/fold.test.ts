/**
 * Whatever stands in a log, the driver's fold either takes it or sets the run aside with a KeelsonError, and a view goes
 * on: random, unknown, truncated, repeated and reordered records never make anything else of either.
 */
import { expect, it } from 'vitest'
import { compilePlan } from '../../src/app/plans/compile.ts'
import { type LogRecord, EVENT_TYPES } from '../../src/core/events/event.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import { evolve } from '../../src/core/run/evolve/evolve.ts'
import { foldEventOfRecord } from '../../src/core/run/fold-event.ts'
import { openEffects } from '../../src/core/run/open-effects.ts'
import { initialState } from '../../src/core/run/state/initial-state.ts'
import { summaryOf } from '../../src/core/run/summary.ts'
import { projectRun } from '../../src/core/view/project/project-run.ts'
import { runMetaOf } from '../../src/core/view/fold/run-meta.ts'
import { viewToText } from '../../src/core/view/project/stored-view.ts'
import { envelopeOf, recordOf } from '../../src/app/log/read-events.ts'
import { sha256Bytes } from '../../src/app/log/sha256.ts'
import type { StoredEvent } from '../../src/ports/run-store.ts'
import { SAMPLES } from '../golden/event-samples.ts'
import { randomSource, type RandomSource } from './random-source.ts'
import { SEED } from '../setup/seed.ts'

const compiled = compilePlan(`
plan: fuzz
version: 1.0.0
policy: { onFailure: hold, concurrency: 2 }
steps:
  - { id: a, dependsOn: [], run: f, compensate: { run: g } }
  - { id: b, dependsOn: [a], run: f, forEach: input.list, fallback: { run: g } }
  - { id: c, dependsOn: [a], manual: { title: look } }
  - { id: d, dependsOn: [b, c], wait: { forMs: 5 } }
`)
if (!compiled.ok) throw new Error(compiled.problems.map((one) => one.message).join('\n'))
const graph = compileGraph(compiled.value.plan)
const meta = runMetaOf('3b241101-e2bb-4255-8caf-4136c566a962', graph)

const ODD: readonly [unknown, ...unknown[]] = [
  null,
  -1,
  0,
  1.5,
  1e308,
  '',
  'x',
  'a',
  [],
  {},
  true,
  '2030-01-01T00:00:00Z',
  '2030-13-45T99:99:99Z',
  { code: 'X' },
]
const SLOTS: readonly [string, ...string[]] = ['a', 'b', 'c', 'd', 'e', 'RUN', '__proto__', 'constructor']

/** A sample event about this plan, now and then with fields replaced, missing or of another world. */
function randomRecord(random: RandomSource, runSeq: number): LogRecord {
  const sample = SAMPLES[random.below(SAMPLES.length)] as unknown as Record<string, unknown>
  const record: Record<string, unknown> = {
    ...structuredClone(sample),
    runSeq: random.below(12) === 0 ? random.below(40) : runSeq,
    persistedAt: '2030-01-01T00:00:01.000Z',
    chainHash: '0'.repeat(64),
    decision: { firstSeq: runSeq, cause: 'start' },
    logicalAttemptId: 1 + random.below(2),
  }
  if (record['stepId'] !== undefined) record['stepId'] = random.pick(SLOTS)
  if (random.below(3) === 0) record['itemIndex'] = random.below(4)
  if (random.below(6) === 0) record['role'] = 'fallback'
  if (random.below(20) === 0) record['eventType'] = random.pick(['FutureEvent', 'toString', '', ...EVENT_TYPES])
  for (let changes = random.below(5) === 0 ? 1 + random.below(3) : 0; changes > 0; changes -= 1) change(random, record)
  return record as unknown as LogRecord
}

function change(random: RandomSource, record: Record<string, unknown>): void {
  const payload = record['payload']
  const isOpen = typeof payload === 'object' && payload !== null && random.below(3) > 0
  const target = isOpen ? (payload as Record<string, unknown>) : record
  const names = Object.keys(target)
  const name = names[random.below(Math.max(1, names.length))] ?? 'surprise'
  if (name === 'runSeq') return
  if (random.below(4) === 0) delete target[name]
  else target[name] = structuredClone(random.pick(ODD))
}

const valueOf = (read: ReturnType<typeof envelopeOf>): readonly LogRecord[] => (read.ok ? [read.value] : [])

/** A store's row for it, so that the driver reads it through the same door as in the product. */
function stored(record: LogRecord): StoredEvent {
  const { persistedAt: _persistedAt, chainHash: _chainHash, data, salt: _salt, ...rest } = record
  const key = typeof record.idempotencyKey === 'string' ? record.idempotencyKey : ''
  return {
    runSeq: record.runSeq,
    eventType: record.eventType,
    idempotencyKey: Uint8Array.from(Buffer.from(key, 'hex')),
    record: JSON.stringify(rest),
    ...(data === undefined ? {} : { data: JSON.stringify(data), salt: new Uint8Array(16) }),
    chainHash: sha256Bytes('x'),
    persistedAt: 1_893_456_000_000,
  }
}

it('50,000 random records: the fold throws nothing but a KeelsonError, the view nothing at all', () => {
  const seed = SEED
  process.stdout.write(`KEELSON_SEED=${seed}\n`)
  const random = randomSource(seed)
  let folded = 0
  let refused = 0
  for (let log = 0; log < 2_500; log += 1) {
    const records = Array.from({ length: 20 }, (_, index) => randomRecord(random, index + 1))
    const rows = records.map(stored)
    // A follower needs the envelope only; what a payload lacks it must live with.
    const { view } = projectRun(
      meta,
      rows.flatMap((row) => valueOf(envelopeOf(row))),
    )
    expect(viewToText(view).length, `KEELSON_SEED=${seed}, log ${log}`).toBeGreaterThan(0)
    let state = initialState(graph)
    for (const record of records) {
      const read = recordOf(stored(record))
      if (!read.ok) {
        expect(read.problems[0]?.code).toBe('RUN_QUARANTINED')
        refused += 1
        continue
      }
      try {
        state = evolve(state, foldEventOfRecord(read.value))
        folded += 1
      } catch (thrown) {
        expect(thrown, `KEELSON_SEED=${seed}, log ${log}`).toBeInstanceOf(KeelsonError)
        refused += 1
      }
      summaryOf(state)
      openEffects(graph, state, 1)
    }
  }
  expect(folded + refused).toBe(50_000)
  expect(folded).toBeGreaterThan(5_000)
  expect(refused).toBeGreaterThan(5_000)
})

it('an event nobody knows moves the watermark and nothing else', () => {
  const known = SAMPLES.find((sample) => sample.eventType === 'RunApproved') as unknown as LogRecord
  const approved = {
    ...known,
    runSeq: 1,
    persistedAt: '2030-01-01T00:00:00.000Z',
    chainHash: '',
    decision: { firstSeq: 1, cause: 'admit' },
  }
  const unknown = { ...approved, runSeq: 2, eventType: 'FutureEvent', payload: { odd: true } }
  const before = evolve(initialState(graph), foldEventOfRecord(approved))
  const after = evolve(before, foldEventOfRecord(unknown))
  expect({ ...after, seq: 0, lastNow: 0 }).toEqual({ ...before, seq: 0, lastNow: 0 })
  expect(after.seq).toBe(2)
  const view = projectRun(meta, [approved, unknown]).view
  expect(view.lastEventSeq).toBe(2)
  expect(view.run).toEqual(projectRun(meta, [approved]).view.run)
})
