/** What the steps of the fleet's plans do: write down that they began, take a while, and end as their plan says. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { NamedFunctions } from '../../../src/adapters/handlers/functions.ts'
import type { StepContext } from '../../../src/ports/step-handlers.ts'
import { openJournal, type Effect } from './journal.ts'

const SHORT_MS = 20
const GATE_STEP_MS = 10

/** The file that lets a gated run of this id go on, at every worker or at one of them. */
export const gateOf = (folder: string, runId: string, worker = 'all'): string => join(folder, `gate-${runId}-${worker}`)

export function fleetHandlers(folder: string, worker: string): NamedFunctions {
  const write = openJournal<Effect>(folder, 'effects')
  const begin = (context: StepContext, undoing = false): void => {
    const { runId, stepId, itemIndex, attempt, engineAttempt, idempotencyKey } = context
    const item = itemIndex === undefined ? {} : { itemIndex }
    write({ at: Date.now(), worker, runId, stepId, ...item, attempt, engineAttempt, undoing, idempotencyKey })
  }
  return {
    work: async (input: { readonly ms?: number }, context) => {
      begin(context)
      await pause(input.ms ?? SHORT_MS)
      return { by: worker, step: context.stepId }
    },
    'fails-until': async (input: { readonly attempt: number }, context) => {
      begin(context)
      await pause(SHORT_MS)
      if (context.attempt < input.attempt) throw Object.assign(new Error('not yet'), { code: 'ECONNREFUSED' })
      return { attempt: context.attempt }
    },
    refuses: async (_input: never, context) => {
      begin(context)
      await pause(SHORT_MS)
      throw Object.assign(new Error('the dock is full'), { name: 'ValidationError' })
    },
    undo: async (_input: never, context) => {
      begin(context, true)
      await pause(SHORT_MS)
      return { undone: true }
    },
    gate: async (_input: never, context) => {
      begin(context)
      const isOpen = (): boolean => ['all', worker].some((who) => existsSync(gateOf(folder, context.runId, who)))
      while (!isOpen() && !context.signal.aborted) await pause(GATE_STEP_MS)
      return { by: worker }
    },
  }
}
