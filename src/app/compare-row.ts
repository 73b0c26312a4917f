/**
 * The run row held against the log: what lists and drivers read of a run is a fold of its events, so a value that somebody
 * changed in the row alone is found. What only the store knows (leases, epochs after a restore, wake-ups) is not in the log.
 */
import type { RunState } from '../core/run/state.ts'
import { summaryOf } from '../core/run/summary.ts'
import type { RunRow, RunStore } from '../ports/run-store.ts'
import { recordOf } from './read-events.ts'
import type { SoundLog } from './sound-log.ts'

export interface RowDifference {
  /** Name of the value in the row, such as `status`. */
  readonly name: string
  readonly row: string
  readonly log: string
}

const SUMMED = [
  'status',
  'substatus',
  'startedAt',
  'endedAt',
  'stepsTotal',
  'stepsDone',
  'stepsFailed',
  'owed',
  'errorCode',
  'rulesVersion',
  'minRulesVersion',
] as const
const NAMED = ['runId', 'tenantId', 'projectId', 'environmentId', 'planId', 'planVersion'] as const

/** Empty when the row says what the log does, or when the log is not sound to its end: then it decides nothing. */
export async function compareRow(
  store: RunStore,
  row: RunRow,
  { seq, state, damage }: SoundLog,
): Promise<readonly RowDifference[]> {
  if (state === undefined || damage !== undefined || seq === 0) return []
  return [...differences(row, expectedOf(row, state)), ...differences(row, await identityOnRecord(store, row))]
}

type Expected = Readonly<Partial<Record<keyof RunRow, unknown>>>

function expectedOf(row: RunRow, state: RunState): Expected {
  const summary = summaryOf(state)
  const summed = SUMMED.map((name) => [name, summary[name]] as const)
  // Before its start a run is nobody's: its row alone says for which engine it was admitted.
  const engineType = state.startedAt < 0 ? row.engineType : state.engineType
  return { ...Object.fromEntries(summed), engineType, nextSeq: state.seq + 1 }
}

async function identityOnRecord(store: RunStore, row: RunRow): Promise<Expected> {
  const [stored] = await store.readEvents(row.runKey, { limit: 1 })
  const record = stored === undefined ? undefined : recordOf(stored)
  if (record?.ok !== true) return {}
  const { value } = record
  return Object.fromEntries(NAMED.map((name) => [name, value[name]] as const))
}

function differences(row: RunRow, expected: Expected): readonly RowDifference[] {
  const told = (value: unknown): string => (value === undefined ? 'nothing' : String(value))
  return Object.entries(expected)
    .map(([name, log]) => ({ name, row: told(row[name as keyof RunRow]), log: told(log) }))
    .filter((one) => one.row !== one.log)
}
