/**
 * The inputs of runs that were: asked of the server when one is chosen, so that only who may read a run gets its input, and kept
 * nowhere in the browser. What has a secret's name or form is left out.
 */
import type { Client } from '../../../src/client/connect.ts'
import type { LogRecord } from '../../../src/core/events/event.ts'
import { maskedData } from '../../../src/core/view/show/masked.ts'

export interface TakenInput {
  readonly input: unknown
  /** Fields that were left out. */
  readonly left: readonly string[]
}

/** The event with the input is among the first of a run. */
const FIRST_EVENTS = 8

/** Undefined: its log does not hold it, because it was erased or is kept outside the log. */
export async function inputOfRun(
  client: Client,
  executionId: string,
  signal: AbortSignal,
): Promise<TakenInput | undefined> {
  const query = { limit: FIRST_EVENTS }
  const { events } = await client.call('listEvents', { params: { executionId }, query, signal })
  const records = events as unknown as readonly LogRecord[]
  const record = records.find(({ data }) => data !== undefined && Object.hasOwn(data, 'input'))
  return record?.data === undefined ? undefined : withoutSecrets(record.data['input'])
}

function withoutSecrets(input: unknown): TakenInput {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { input, left: [] }
  const masked = maskedData(input as Readonly<Record<string, unknown>>)
  const kept = Object.entries(input).filter(([name, value]) => JSON.stringify(value) === JSON.stringify(masked[name]))
  const left = Object.keys(input).filter((name) => !kept.some(([one]) => one === name))
  return { input: Object.fromEntries(kept), left }
}
