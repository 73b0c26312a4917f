/**
 * The poisons: each damages one run in one way, and says what must become of that run alone. Its log has five events:
 * RunApproved, RunStarted, StepStarted a, StepCompleted a (with data), StepStarted w; it waits, and nobody drives it.
 */
import { canonicalText } from '../../src/app/log/canonical.ts'
import type { RunRow, RunStore, StoredEvent } from '../../src/ports/run-store.ts'
import type { Columns, Planter } from './poison-planters.ts'

/** `set aside`: quarantined. `well`: the damage was to a cache or an inbox row, and the run completes. `left`: not touched at all. */
export type Fate = 'set aside' | 'well' | 'failed' | 'left'

export interface Victim {
  readonly row: RunRow
  readonly events: readonly StoredEvent[]
  readonly store: RunStore
  readonly planter: Planter
  /** Another run's row and events, unharmed. */
  readonly other: { readonly row: RunRow; readonly events: readonly StoredEvent[] }
}

export interface Poison {
  readonly name: string
  readonly fate: Fate
  readonly plant: (victim: Victim) => Promise<unknown>
}

const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte, index) => (index === 7 ? byte ^ 1 : byte))
const edited = (event: StoredEvent, fields: Readonly<Record<string, unknown>>): string =>
  canonicalText({ ...(JSON.parse(event.record) as object), ...fields })

const EVENT_DAMAGE: Readonly<Record<string, (event: StoredEvent, victim: Victim) => Columns>> = {
  'is no JSON': () => ({ record: '{"eventType":' }),
  'is empty': () => ({ record: '' }),
  'is null': () => ({ record: 'null' }),
  'is a list': () => ({ record: '[]' }),
  'is cut off': ({ record }) => ({ record: record.slice(0, record.length / 2) }),
  'says something else': (event) => ({ record: edited(event, { payload: { surprise: 1 } }) }),
  'was emitted at another time': (event) => ({ record: edited(event, { emittedAt: '2020-01-01T00:00:00.000Z' }) }),
  'has one field more': (event) => ({ record: edited(event, { surprise: 1 }) }),
  'is of another run': ({ runSeq }, { other }) => ({ record: other.events[runSeq - 1]?.record ?? '' }),
  'says another number': (event) => ({ record: edited(event, { runSeq: event.runSeq + 1 }) }),
  'says another type': (event) => ({ record: edited(event, { eventType: 'RunResumed' }) }),
  'is filed under another type': () => ({ event_type: 'RunPaused' }),
  'is filed under another key': ({ idempotencyKey }) => ({ idempotency_key: flipped(idempotencyKey) }),
  'has another hash': ({ chainHash }) => ({ chain_hash: flipped(chainHash) }),
  'was stored at no time there is': () => ({ persisted_at: 9_000_000_000_000_000 }),
}

const events: readonly Poison[] = [1, 2, 4, 5].flatMap((seq) =>
  Object.entries(EVENT_DAMAGE).map(([what, columns]): Poison => ({
    name: `event ${seq} ${what}`,
    fate: 'set aside',
    plant: async (victim) => {
      const event = victim.events[seq - 1]
      if (event !== undefined) await victim.planter.setEvent(victim.row.runKey, seq, columns(event, victim))
    },
  })),
)

const data: readonly Poison[] = (
  [
    ['is no JSON', () => ({ data: '{' })],
    ['is not what was hashed', () => ({ data: '{"result":"forged"}' })],
    ['has another salt', ({ salt }) => ({ salt: flipped(salt ?? new Uint8Array(16)) })],
  ] as readonly (readonly [string, (event: StoredEvent) => Columns])[]
).flatMap(([what, columns]) =>
  [1, 4].map((seq): Poison => ({
    name: `data of event ${seq} ${what}`,
    fate: 'set aside',
    plant: async ({ planter, row, events: all }) =>
      planter.setEvent(row.runKey, seq, columns(all[seq - 1] as StoredEvent)),
  })),
)

const gone: readonly Poison[] = (
  [
    ['the first event is gone', 1, 1],
    ['an event in the middle is gone', 3, 3],
    ['two events are gone', 3, 4],
    ['the last event is gone', 5, 5],
    ['all events are gone', 1, 5],
  ] as const
).map(([name, from, to]) => ({
  name,
  fate: 'set aside',
  plant: ({ planter, row }) => planter.dropEvents(row.runKey, from, to),
}))

const setRow = (name: string, fate: Fate, columns: (victim: Victim) => Columns): Poison => ({
  name: `the row ${name}`,
  fate,
  plant: (victim) => victim.planter.setRun(victim.row.runKey, columns(victim)),
})

const rows: readonly Poison[] = [
  setRow('names another head', 'set aside', ({ row }) => ({ head_hash: flipped(row.headHash) })),
  setRow('has no head', 'set aside', () => ({ head_hash: new Uint8Array(0) })),
  setRow('ends one event early', 'set aside', () => ({ next_seq: 5 })),
  setRow('begins anew', 'set aside', () => ({ next_seq: 1 })),
  setRow('has a number below all', 'set aside', () => ({ next_seq: -3 })),
  setRow('names a plan that nobody has', 'set aside', () => ({ plan_sha256: 'f'.repeat(64) })),
  setRow("names another run's plan", 'set aside', ({ other }) => ({ plan_sha256: other.row.planSha256 })),
  setRow('has another id', 'set aside', () => ({ run_id: '00000000-0000-4000-8000-000000000000' })),
  setRow('is of another tenant', 'set aside', () => ({ tenant_id: 'mallory' })),
  setRow('has a status that is none', 'well', () => ({ status: 'BOGUS' })),
  setRow('says it is paused', 'well', () => ({ status: 'PAUSED' })),
  setRow('says it has not begun', 'well', () => ({ status: 'PENDING', steps_total: 0, steps_done: 99 })),
  setRow('was to be woken long ago', 'well', () => ({ next_wake_at: 0 })),
  setRow('was to be woken before all time', 'well', () => ({ next_wake_at: -9_000_000_000_000_000 })),
  setRow('has an odd substatus', 'well', () => ({ substatus: '"\u2028;--', error_code: 'NOPE' })),
  setRow('wants rules of a later version', 'left', () => ({ min_rules_version: 9_999 })),
]

const plans: readonly Poison[] = [
  ...[
    ['has one byte more', (text: string) => `${text} `],
    ['says something else', (text: string) => text.replace('"g"', '"evil"')],
    ['is no JSON', () => '{"steps":'],
    ['is empty', () => ''],
  ].map(([what, change]): Poison => ({
    name: `the plan ${String(what)}`,
    fate: 'failed',
    plant: async ({ planter, store, row }) =>
      planter.setPlan(
        row.planSha256,
        (change as (text: string) => string)((await store.getPlan(row.tenantId, row.planSha256)) ?? ''),
      ),
  })),
  {
    name: 'the plan is gone',
    fate: 'set aside',
    plant: ({ planter, row }) => planter.setPlan(row.planSha256, undefined),
  },
]

const snapshots: readonly Poison[] = (
  [
    ['is no JSON', { body: '{' }],
    ['is empty', { body: '' }],
    ['is an empty object', { body: '{}' }],
    ['is null under a hash', { body: `${'0'.repeat(64)}null` }],
    ['is of other rules', { rules_version: 77 }],
    ['is of the right form and not true', { body: JSON.stringify({ status: 'COMPLETED', seq: 5, unitCount: 0 }) }],
  ] as const
).map(([what, columns]) => ({
  name: `the snapshot ${what}`,
  fate: 'well',
  plant: async ({ planter, store, row }) => {
    await store.putCheckpoint(row.runKey, { kind: 'state', seq: 5, rulesVersion: 1, body: '{}' })
    await planter.setSnapshots(row.runKey, columns)
  },
}))

const authorization = { allowed: true, policyDecisionId: 'p' }
const LETTERS: readonly (readonly [string, string, string])[] = [
  ['no JSON', 'signal', '{'],
  ['null', 'signal', 'null'],
  ['a list', 'outcome', '[]'],
  ['an empty signal', 'signal', '{}'],
  ['a signal without authorisation', 'signal', JSON.stringify({ signalId: 's', signalType: 'PAUSE', payload: {} })],
  [
    'a signal with no payload',
    'signal',
    JSON.stringify({ signalId: 's', signalType: 'CANCEL', payload: null, authorization }),
  ],
  [
    'a signal without an id',
    'signal',
    JSON.stringify({ signalId: '', signalType: 'CANCEL', payload: {}, authorization }),
  ],
  ['a kind that is none', 'surprise', '{}'],
  ['a kind from the prototype', 'constructor', '{}'],
  ['an empty outcome', 'outcome', '{}'],
  ['an outcome without a result', 'outcome', JSON.stringify({ slot: 'w', attempt: 1, engineAttempt: 1 })],
  [
    'an outcome of a slot that is none',
    'outcome',
    JSON.stringify({
      slot: '[[',
      attempt: 1,
      engineAttempt: 1,
      result: { kind: 'completed', output: 1, artifactRefs: [], durationMs: 1 },
    }),
  ],
  [
    'an outcome of attempt -1',
    'outcome',
    JSON.stringify({ slot: 'a', attempt: -1, engineAttempt: 1, result: { kind: 'failed', durationMs: 1 } }),
  ],
  [
    'a manual completion of nothing',
    'manual',
    JSON.stringify({ slot: 'a', attempt: 1, engineAttempt: 1, outcome: null }),
  ],
  ['an end of a child that is none', 'child', '{"status":"MAYBE"}'],
  ['an approval by nobody', 'approve', '{}'],
  ['a pause of nothing', 'scope', '{"active":"yes"}'],
  ['a fork of nothing', 'fork', '{}'],
  ['a grant of nothing', 'grant', '{}'],
]

const inboxRows: readonly Poison[] = LETTERS.map(([what, kind, body]) => ({
  name: `an inbox row holds ${what}`,
  fate: 'well',
  plant: ({ store, row }) => store.insertInbox(row, { inboxId: `odd:${what}`, kind, body }),
}))

const beside: readonly Poison[] = [
  {
    name: 'a captured variable is no JSON',
    fate: 'failed',
    plant: ({ planter, row }) => planter.setContext(row.runKey, { value: '{' }),
  },
  {
    name: 'a begin-claim names no step',
    fate: 'well',
    plant: ({ store, row }) => store.claimAttempt(row.runKey, { slot: 'COMP:[', attempt: -4, claimant: '' }),
  },
]

export const POISONS: readonly Poison[] = [
  ...events,
  ...data,
  ...gone,
  ...rows,
  ...plans,
  ...snapshots,
  ...inboxRows,
  ...beside,
]
