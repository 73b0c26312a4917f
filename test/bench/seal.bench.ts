/** How many events per second one core checks, keys, hashes and chains, against the bare hashing they cannot do without. */
import { hash, randomBytes, randomUUID } from 'node:crypto'
import { recordOf } from '../../src/app/log/read-events.ts'
import { sealEvents, type SealInput } from '../../src/app/log/seal.ts'
import type { Draft } from '../../src/core/run/draft.ts'
import type { BenchRow } from './row.ts'

const FLOOR_EVENTS_PER_SECOND = 100_000
const BATCH = 500
const at = '2026-03-01T10:00:00.000Z'

function draft(index: number, withData: boolean): Draft {
  const slot = `step-${index >> 1}`
  if (index % 2 === 0) return { eventType: 'StepStarted', slot, attempt: 1, payload: { startedAt: at, epoch: 1 } }
  const payload = { completedAt: at, artifactRefs: [], durationMs: 12 }
  const base = { eventType: 'StepCompleted', slot, attempt: 1, payload } as const
  return withData ? { ...base, data: { result: { rows: index, ok: true, name: 'orders' } } } : base
}

function input(withData: boolean): SealInput {
  const decision = { firstSeq: 1, cause: 'outcome:step-1#1' }
  return {
    identity: {
      runId: randomUUID(),
      tenantId: 'local',
      projectId: 'default',
      environmentId: 'local',
      planId: 'bench',
      planVersion: '1.0.0',
    },
    drafts: Array.from({ length: BATCH }, (_, index) => ({ draft: draft(index, withData), decision })),
    firstSeq: 1,
    previousHash: new Uint8Array(32),
    emittedAt: at,
    random: { uuid: () => randomUUID(), bytes: (length) => randomBytes(length) },
  }
}

/** Best of five, so that a neighbour on the machine does not decide. */
function perSecond(count: number, work: () => void): number {
  let best = 0
  for (let round = 0; round < 5; round++) {
    const began = performance.now()
    work()
    best = Math.max(best, (count * 1000) / (performance.now() - began))
  }
  return best
}

export async function benchSeal(): Promise<readonly BenchRow[]> {
  const batches = 100
  return [false, true].flatMap((withData) => {
    const given = input(withData)
    const { events } = sealEvents(given)
    const stored = events.map((event) => ({ ...event, persistedAt: 0 }))
    const baseline = perSecond(BATCH * batches, () => {
      for (let i = 0; i < batches; i++) {
        for (const event of events) {
          hash('sha256', event.record, 'buffer')
          hash('sha256', event.record.slice(0, 80), 'hex')
        }
      }
    })
    const sealing = perSecond(BATCH * batches, () => {
      for (let i = 0; i < batches; i++) sealEvents(given)
    })
    const reading = perSecond(BATCH * batches, () => {
      for (let i = 0; i < batches; i++) for (const event of stored) recordOf(event)
    })
    const what = withData ? 'with data on every second' : 'without data'
    return [rowOf(`events sealed, ${what}`, sealing, baseline), rowOf(`events read, ${what}`, reading, baseline)]
  })
}

function rowOf(name: string, value: number, baseline: number): BenchRow {
  const ok = value >= FLOOR_EVENTS_PER_SECOND
  return { name, value, unit: 'events/s', baseline, ratio: value / baseline, floor: FLOOR_EVENTS_PER_SECOND, ok }
}
