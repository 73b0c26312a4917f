/** Outcomes of one run that share a turn: which wait, which do not, and who is told what. */
import { expect, it } from 'vitest'
import type { TurnResult, EffectOutcome, RunDriver } from '../../../../ports/engine.ts'
import { Turns } from './turns.ts'

type Advance = RunDriver['advance']

const EFFECT = { kind: 'StartChild', id: 'StartChild:next:1', slot: 'next', attempt: 1 } as const
const ANSWER: TurnResult = {
  epoch: 1,
  headSeq: 9,
  status: 'RUNNING',
  effects: [EFFECT],
  wakeAt: undefined,
  terminal: false,
}

function reportOf(slot: string): EffectOutcome {
  const result = { kind: 'completed', output: null, artifactRefs: [], durationMs: 0 } as const
  return { slot, attempt: 1, engineAttempt: 1, result }
}

function stage(answer: Advance = async () => ANSWER) {
  const calls: { readonly slots: readonly string[]; readonly epoch?: number; readonly open?: boolean }[] = []
  const due: (() => void)[] = []
  const advance: Advance = (runKey, reports = [], options = {}) => {
    calls.push({ slots: reports.map(({ slot }) => slot), ...options })
    return answer(runKey, reports, options)
  }
  const timers = {
    after: (_ms: number, callback: () => void) => (due.push(callback), () => undefined),
    defer: () => undefined,
  }
  const turns = new Turns({ advance } as RunDriver, timers)
  const take = (slot: string, how: { epoch?: number; open?: boolean; beside?: number } = {}) =>
    turns.take(1, [reportOf(slot)], { epoch: 1, open: false, ...how })
  const ring = (): void => {
    for (const callback of due.splice(0)) callback()
  }
  return { calls, take, ring }
}

it('an outcome with nothing else of its run out does not wait', async () => {
  const { calls, take } = stage()
  await expect(take('a', { beside: 1 })).resolves.toBe(ANSWER)
  expect(calls).toEqual([{ slots: ['a'], epoch: 1, open: false }])
})

it('outcomes of a fan-out share one turn, and one of them is told what it opened [P-06]', async () => {
  const { calls, take, ring } = stage()
  const all = [take('a', { beside: 3 }), take('b', { beside: 3 })]
  expect(calls).toEqual([])
  ring()
  const told = await Promise.all(all)
  expect(calls).toEqual([{ slots: ['a', 'b'], epoch: 1, open: false }])
  expect(told.map(({ effects }) => effects.length)).toEqual([1, 0])
})

it('the turn is taken at once when all that were out are there', async () => {
  const { calls, take } = stage()
  await Promise.all([take('a', { beside: 2 }), take('b', { beside: 2 })])
  expect(calls).toHaveLength(1)
})

it('whoever must hear everything that is owed is the one who is told [P-37]', async () => {
  const { calls, take, ring } = stage()
  const all = [take('a', { beside: 3 }), take('b', { beside: 3, open: true })]
  ring()
  expect((await Promise.all(all)).map(({ effects }) => effects.length)).toEqual([0, 1])
  expect(calls).toEqual([{ slots: ['a', 'b'], epoch: 1, open: true }])
})

it('outcomes of different epochs never share a turn', async () => {
  const { calls, take, ring } = stage()
  const all = [take('old', { beside: 3 }), take('new', { beside: 3, epoch: 2 })]
  ring()
  await all[0]
  ring()
  await all[1]
  expect(calls.map(({ slots, epoch }) => [slots, epoch])).toEqual([
    [['old'], 1],
    [['new'], 2],
  ])
})

it('a turn that fails fails for everybody in it, and the next one is taken', async () => {
  let isAway = true
  const { take, ring } = stage(async () => {
    if (isAway) throw new Error('the store is away')
    return ANSWER
  })
  const all = [take('a', { beside: 3 }), take('b', { beside: 3 })]
  ring()
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isAway = false
  await expect(take('a')).resolves.toBe(ANSWER)
})
