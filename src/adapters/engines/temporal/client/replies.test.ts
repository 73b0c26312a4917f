/** What the workflow is told: open effects by pages, and never more than one answer should hold (P-37). */
import { expect, it } from 'vitest'
import type { Effect } from '../../../../core/run/effect.ts'
import type { TurnResult, RunDriver } from '../../../../ports/engine.ts'
import type { RunRow } from '../../../../ports/run-store.ts'
import { replyOf } from './replies.ts'
import { checkSettings } from './settings.ts'
import type { Reply } from '../sandbox/wire.ts'

const traits = { timeoutMs: 1_000, actionKind: 'run', isolated: false }
const driver = { traits: async () => traits } as unknown as RunDriver
const settings = checkSettings({})
const row = { runKey: 1, tenantId: 't', environmentId: 'e' } as unknown as RunRow

const clock = { now: () => 1_800_000_000_000 }

function effectsOf(from: number, to: number): readonly Effect[] {
  return Array.from({ length: to - from }, (_, n) => {
    const slot = `s${from + n}`
    return { kind: 'ExecuteStep', id: `ExecuteStep:${slot}:1:1`, slot, attempt: 1, engineAttempt: 1 }
  })
}

function told(effects: readonly Effect[], after?: string): Promise<Reply> {
  const report: TurnResult = { epoch: 1, headSeq: 9, status: 'RUNNING', effects, wakeAt: undefined, terminal: false }
  return replyOf({ driver, settings, clock }, row, report, after)
}

const idsOf = ({ effects }: Reply): readonly string[] => effects.map(({ effect }) => effect.id)

it('tells 500 effects at a time, and all of them [P-37]', async () => {
  const all = effectsOf(0, 1_201)
  const pages: Reply[] = [await told(all)]
  for (let more = pages[0]?.more; more !== undefined; more = pages.at(-1)?.more) pages.push(await told(all, more))
  expect(pages.map(({ effects }) => effects.length)).toEqual([500, 500, 201])
  expect(new Set(pages.flatMap(idsOf))).toEqual(new Set(all.map(({ id }) => id)))
})

it('passes nothing over when effects of an earlier page are done meanwhile [P-37]', async () => {
  const all = effectsOf(0, 1_000)
  const first = await told(all)
  const done = new Set(idsOf(first).slice(0, 300))
  const second = await told(
    all.filter(({ id }) => !done.has(id)),
    first.more,
  )
  expect(new Set([...idsOf(first), ...idsOf(second)]).size).toBe(1_000)
  expect(second.more).toBeUndefined()
})

it('tells up to 500 in the order of their dispatch, in one answer [P-37]', async () => {
  const all = effectsOf(0, 500)
  const reply = await told(all)
  expect(idsOf(reply)).toEqual(all.map(({ id }) => id))
  expect(reply).not.toHaveProperty('more')
})

it('says once how hundreds of effects are sent out, and each effect by which way [TMP-09]', async () => {
  const slow = {
    traits: async (_: unknown, { slot }: Effect) => ({ ...traits, timeoutMs: slot === 's1' ? 400_000 : 1_000 }),
  }
  const report = { epoch: 1, headSeq: 9, status: 'RUNNING', wakeAt: undefined, terminal: false } as const
  const driving = slow as unknown as RunDriver
  const reply = await replyOf({ driver: driving, settings, clock }, row, { ...report, effects: effectsOf(0, 300) })
  expect(reply.effects.filter(({ by }) => by === 1).map(({ effect }) => effect.slot)).toEqual(['s1'])
  expect(reply.sendings?.map((one) => one.scheduleToCloseTimeout)).toEqual([2_101_000, 2_500_000])
  expect(await told([])).not.toHaveProperty('sendings')
})

it('keeps tasks of people to itself, and sends what may run for long apart [P-36]', async () => {
  const task: Effect = { kind: 'OpenManualTask', id: 'OpenManualTask:m:1', slot: 'm', attempt: 1 }
  const [work] = effectsOf(0, 1)
  const long = { traits: async () => ({ ...traits, timeoutMs: 600_001 }) } as unknown as RunDriver
  const report = { epoch: 1, headSeq: 9, status: 'RUNNING', wakeAt: undefined, terminal: false } as const
  const effects = [task, work as Effect]
  const { effects: sent } = await replyOf({ driver: long, settings, clock }, row, { ...report, effects })
  expect(sent.map(({ effect, long: isLong }) => [effect.kind, isLong])).toEqual([['ExecuteStep', true]])
  expect((await told([work as Effect])).effects[0]).not.toHaveProperty('long')
})

it('says in how long a run is to be woken, whatever the clock of its worker shows [P-25]', async () => {
  const report = { epoch: 1, headSeq: 9, status: 'RUNNING', effects: [], terminal: false } as const
  const reply = await replyOf({ driver, settings, clock }, row, { ...report, wakeAt: clock.now() + 300 })
  expect(reply).toMatchObject({ wakeInMs: 300 })
})
