/** What is handed to the thread that writes arrives as it was, whatever a commit has. */
import { expect, it } from 'vitest'
import type { RunCommit, RunSummary, SealedEvent } from '../../../ports/run-store.ts'
import { handOver, takeOver } from './hand-over.ts'

const summary: RunSummary = {
  status: 'RUNNING',
  rulesVersion: 7,
  minRulesVersion: 1,
  stepsTotal: 2,
  stepsDone: 1,
  stepsFailed: 0,
}
const bytes = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value)
const event = (runSeq: number, more: Partial<SealedEvent> = {}): SealedEvent => ({
  runSeq,
  eventType: 'StepStarted',
  idempotencyKey: bytes(32, runSeq),
  record: `{"runSeq":${runSeq}}`,
  chainHash: bytes(32, 100 + runSeq),
  ...more,
})
const plain: RunCommit = { runKey: 1, expected: { epoch: 1, nextSeq: 4 }, events: [], summary }

/** As another thread gets it. */
const there = (batch: readonly RunCommit[]): readonly RunCommit[] => takeOver(structuredClone(handOver(batch, 1)))

it('hands over commits with everything that a commit can have', () => {
  const whole = {
    ...summary,
    substatus: 'DRAINING',
    nextWakeAt: 0,
    startedAt: 5,
    endedAt: 6,
    owed: true,
    errorCode: 'E',
  }
  const ids = { runId: 'r', tenantId: 't', projectId: 'p', environmentId: 'e', planId: 'n', planVersion: '1' }
  const made = { ...ids, planSha256: 'a', engineType: 'embedded', engineRunRef: 'embedded://r' }
  const parent = { runId: 'q', slot: 's[1]', attempt: 2 }
  const batch: readonly Required<RunCommit>[] = [
    {
      runKey: 7,
      create: { ...made, requestKey: 'k', originalRunId: 'o', parent, triggeredBy: 'olga' },
      labels: { region: 'eu' },
      expected: { epoch: 3, nextSeq: 9, nextWakeAt: null },
      newEpoch: 4,
      unread: true,
      known: { tenantId: 't', summary },
      events: [event(9, { data: '{}', salt: bytes(16, 1) }), event(10, { terminalSlot: 's|1' })],
      summary: { ...whole, owed: true },
      consumed: [{ inboxId: 'i', seq: 9 }],
      context: [{ variable: 'v', seq: 9, value: '1' }],
      notify: [{ run: { tenantId: 't', runId: 'q' }, row: { inboxId: 'child:r', kind: 'child', body: '{}' } }],
      blobs: [{ sha256: 'b', text: 'x' }],
      lease: { owner: 'me', until: 1 },
      engine: { engineType: 'temporal', engineRunRef: 'w' },
      releases: 'all',
      claims: [],
      waits: [],
      eventWaits: { opened: [], closed: [] },
    },
  ]
  expect(there(batch)).toEqual(batch)
})

it('hands over many commits at once, each with its own events and bytes', () => {
  const batch = [
    { ...plain, events: [event(4), event(5, { data: '1', salt: bytes(16, 9) })] },
    { ...plain, runKey: 2 },
    { ...plain, runKey: 3, events: [event(4, { terminalSlot: 's|2' })], unread: true as const },
  ]
  expect(there(batch)).toEqual(batch)
})

it('keeps an empty list where it says something else than none', () => {
  const batch: readonly RunCommit[] = [{ ...plain, waits: [], consumed: [], context: [], notify: [] }]
  expect(there(batch)).toEqual(batch)
  expect(there([{ ...plain, consumed: [], context: [], notify: [] }])).toEqual([plain])
})
