/** Who did what in a child run is known to its parent also when the end of the child came too late to count. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'

const planOf = (name: string, rest: string) => loadPlan(`plan: ${name}\nversion: 1.0.0\n${rest}`)
const SLOW = planOf('slow', 'steps: [{ id: prepare, manual: { title: P } }, { id: more, run: deaf }]')
const PARENT = planOf(
  'given-up',
  'steps: [{ id: c, plan: { planId: slow } }, { id: release, manual: { title: R, rule: "IncompatibleDuties(prepare, release)" } }]',
)

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 6_000; tries += 1) {
    const found = await look()
    if (found !== undefined) return found
    await pause(10)
  }
  throw new Error('it did not come about')
}

async function complete(run: RunHandle, slot: string, actorUserId: string): Promise<string> {
  const { token } = await until(async () => (await run.tasks()).find((one) => one.slot === slot))
  return (await run.completeTask({ completionToken: token, outcome: 'Succeeded', actorUserId })).kind
}

const childOf = (keelson: Keelson, run: RunHandle): Promise<RunHandle> =>
  until(async () => {
    const id = (await run.related()).children[0]?.runId
    return id === undefined ? undefined : keelson.run(id).catch(() => undefined)
  })

it('who prepared in a child that was given up does not release in a fork of its parent [MAN-08]', async () => {
  const entered = Promise.withResolvers<undefined>()
  const held = Promise.withResolvers<undefined>()
  const deaf = async (): Promise<void> => {
    entered.resolve(undefined)
    await held.promise
  }
  await using keelson = await openKeelson({ directory: ':memory:', steps: { deaf } })
  await keelson.publish(SLOW)
  const run = await keelson.start(PARENT, undefined, { actorId: 'ana' })
  expect(await complete(await childOf(keelson, run), 'prepare', 'cy')).toBe('accepted')
  await entered.promise
  await run.signal('EMERGENCY_STOP', { reason: 'smoke' }, { actorId: 'ana' })
  expect((await run.result()).status).toBe('CANCELLED')
  held.resolve(undefined)
  const late = await until(async () =>
    (await run.records()).find(({ eventType }) => eventType === 'LateOutcomeRecorded'),
  )
  expect(late.payload?.['people']).toEqual({
    makers: [],
    approvals: [{ actorId: 'cy', duties: ['prepare'] }],
    stoppedBy: [],
  })
  const { plan, sha256 } = PARENT
  const proof = verifyDecisions(await run.records(), { plan, graph: compileGraph(plan), sha256 })
  expect(proof.differences).toEqual([])
  const fork = await keelson.fork(run.runId, { actorId: 'ana' })
  expect(await complete(await childOf(keelson, fork), 'prepare', 'zoe')).toBe('accepted')
  await expect(complete(fork, 'release', 'cy')).rejects.toMatchObject({ code: 'AUTHZ_DENIED' })
  expect(await complete(fork, 'release', 'dee')).toBe('accepted')
})
