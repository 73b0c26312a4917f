/**
 * What the platform did for a run, for accounting and operations (ATT-11): engine attempts per logical attempt, counted
 * from records. No decision ever reads it.
 */
import type { LogRecord } from '../../events/event.ts'
import { stepSlotText } from '../../events/slot.ts'
import { addressOf } from '../fold/reading.ts'

export interface AttemptCost {
  readonly slot: string
  readonly logicalAttemptId: number
  readonly platformAttempts: number
}

export interface InfrastructureReport {
  /** Over all attempts of all steps. */
  readonly platformAttempts: number
  readonly logicalAttempts: number
  /** Attempts after the first of each logical attempt. */
  readonly platformRetries: number
  /** 1 + restarts and rotations of the engine's own workflow. */
  readonly engineRuns: number
  readonly attempts: readonly AttemptCost[]
}

const COUNTED: ReadonlySet<string> = new Set(['StepStarted', 'StepCompleted', 'StepFailed'])

export function infrastructureReport(records: readonly LogRecord[]): InfrastructureReport {
  const costs = new Map<string, AttemptCost>()
  let engineRuns = 1
  for (const record of records) {
    const { engineAttemptId, logicalAttemptId } = record
    const address = addressOf(record)
    if (address === undefined) {
      if (record.eventType.startsWith('Run')) engineRuns = Math.max(engineRuns, engineAttemptId)
      continue
    }
    if (!COUNTED.has(record.eventType)) continue
    const slot = stepSlotText(address)
    const id = `${slot}#${logicalAttemptId}`
    const platformAttempts = Math.max(costs.get(id)?.platformAttempts ?? 1, engineAttemptId)
    costs.set(id, { slot, logicalAttemptId, platformAttempts })
  }
  const attempts = [...costs.values()]
  const platformAttempts = attempts.reduce((sum, one) => sum + one.platformAttempts, 0)
  return {
    platformAttempts,
    logicalAttempts: attempts.length,
    platformRetries: platformAttempts - attempts.length,
    engineRuns,
    attempts,
  }
}
