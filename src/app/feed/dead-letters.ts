/** What a subscriber could not be given, as an operator names it: each of the dead letters by the key of its run and the number of its event. */
import { fail } from '../../core/problems/problem.ts'
import type { DeadLetter } from '../../ports/feed.ts'
import type { RunStore } from '../../ports/run-store.ts'

/** More than these are not looked through for one: an operator begins with the oldest. */
const LOOKED_AT = 10_000

export function letterIdOf({ runKey, runSeq }: Pick<DeadLetter, 'runKey' | 'runSeq'>): string {
  return `${runKey}-${runSeq}`
}

export function letterOf(letterId: string): Pick<DeadLetter, 'runKey' | 'runSeq'> {
  const [runKey, runSeq] = letterId.split('-').map(Number)
  return { runKey: runKey ?? 0, runSeq: runSeq ?? 0 }
}

export async function findDeadLetter(store: RunStore, subscriber: string, letterId: string): Promise<DeadLetter> {
  const deadLetters = await store.readDeadLetters(subscriber, LOOKED_AT)
  return deadLetters.find((one) => letterIdOf(one) === letterId) ?? noLetter()
}

export function noLetter(): never {
  return fail('DEAD_LETTER_NOT_FOUND', 'there is no such dead letter')
}

/** Those named, or the first ones. Returns how many of them exist. */
export async function askForRedelivery(
  store: RunStore,
  subscriber: string,
  letterIds: readonly string[] | undefined,
  { now, first }: { readonly now: number; readonly first: number },
): Promise<number> {
  const deadLetters = letterIds?.map(letterOf) ?? (await store.readDeadLetters(subscriber, first))
  let asked = 0
  for (const { runKey, runSeq } of deadLetters)
    if (await store.askRedelivery(subscriber, runKey, runSeq, now)) asked += 1
  return asked
}
