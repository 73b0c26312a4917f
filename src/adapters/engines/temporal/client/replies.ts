/**
 * An advance's report as the workflow's answer: what is to be sent out with its times and its queue, and nothing that
 * belongs to the plan (P-37).
 */
import { isTerminalRun } from '../../../../core/run/state/transitions.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { TurnResult, RunDriver } from '../../../../ports/engine.ts'
import type { RunRow } from '../../../../ports/run-store.ts'
import { ADVANCE_SENDING, KIND_TIMES, LONG_STEP_MS, stepSending } from '../sandbox/activity-options.ts'
import type { CheckedSettings } from './settings.ts'
import { runQueue, stepQueue } from './task-queues.ts'
import { wakeQueue, type Reply, type Sending, type SentEffect } from '../sandbox/wire.ts'

/** More open effects than this come in the next answer. */
const PAGE = 500

export interface ReplyParts {
  readonly driver: RunDriver
  readonly clock: Clock
  readonly settings: CheckedSettings
}

/** Every way to send out once, however many effects go that way. */
class Sendings {
  readonly #places = new Map<string, number>()
  readonly #all: Sending[] = []

  get all(): readonly Sending[] {
    return this.#all
  }

  placeOf(sending: Sending): number {
    const text = JSON.stringify(sending)
    const known = this.#places.get(text)
    if (known !== undefined) return known
    this.#places.set(text, this.#all.length)
    return this.#all.push(sending) - 1
  }
}

export async function replyOf(parts: ReplyParts, row: RunRow, report: TurnResult, after?: string): Promise<Reply> {
  const { epoch, headSeq, status, wakeAt } = report
  const sendable = report.effects.filter(({ kind }) => kind !== 'OpenManualTask')
  const isPaged = after !== undefined || sendable.length > PAGE
  const rest = isPaged ? sendable.filter(({ id }) => id > (after ?? '')).sort(byId) : sendable
  const page = rest.slice(0, PAGE)
  const more = rest.length > PAGE ? page.at(-1)?.id : undefined
  const sendings = new Sendings()
  const effects: SentEffect[] = []
  for (const effect of page) effects.push(await sentEffect(parts, row, effect, sendings))
  return {
    epoch,
    headSeq,
    effects,
    ...(effects.length === 0 ? {} : { sendings: sendings.all }),
    ...(more === undefined ? {} : { more }),
    ...(wakeAt === undefined ? {} : { wakeAt, wakeInMs: Math.max(0, wakeAt - parts.clock.now()) }),
    ...(isTerminalRun(status) ? { end: status as NonNullable<Reply['end']> } : {}),
  }
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1
}

async function sentEffect(
  { driver, settings }: ReplyParts,
  row: RunRow,
  effect: SentEffect['effect'],
  sendings: Sendings,
): Promise<SentEffect> {
  const traits = await driver.traits?.(row.runKey, effect)
  // A signal to a child run must not wait until the steps of the child are done.
  if (traits === undefined)
    return { effect, by: sendings.placeOf({ ...ADVANCE_SENDING, taskQueue: wakeQueue(runQueue(settings, row)) }) }
  const { timeoutMs, actionKind } = traits
  const times = { ...KIND_TIMES, ...settings.times }[actionKind]
  const taskQueue = stepQueue(settings, row, traits)
  const sending = stepSending({
    timeoutMs,
    ...(times === undefined ? {} : { times }),
    ...(taskQueue === undefined ? {} : { taskQueue }),
  })
  return { effect, by: sendings.placeOf(sending), ...(timeoutMs > LONG_STEP_MS ? { long: true } : {}) }
}
