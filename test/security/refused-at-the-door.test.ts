/** Who is refused before their word is stored: the run's log does not grow by it (MAN-07), the audit trail does. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadPlan, openKeelson } from '../../src/main.ts'
import { fileFolder } from '../fixtures/folder.ts'
import { untilFound } from '../fixtures/until.ts'
import { servicesOf } from '../../src/library/services-of.ts'

const directory = fileFolder()
const PLAN = loadPlan(
  'plan: checked\nversion: 1.0.0\nsteps: [{ id: release, manual: { title: R, rule: MakerChecker } }]',
)

interface Noted {
  readonly operation: string
  readonly reasonCode: string
  readonly actorId: string
  readonly target: string
}

function audited(): readonly Noted[] {
  const folder = join(directory, 'audit')
  const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Noted)
}

it('a maker, nobody, a void token and an approver who asked for the run are each noted, and change nothing', async () => {
  await using keelson = await openKeelson({ directory })
  const run = await keelson.start(PLAN, undefined, { actorId: 'ana' })
  const { token } = await untilFound(async () => (await run.tasks())[0])
  const before = await run.records()
  const complete = (actorUserId: string, completionToken = token): Promise<unknown> =>
    run.completeTask({ completionToken, outcome: 'Succeeded', actorUserId })
  await expect(complete('Ana')).rejects.toMatchObject({ code: 'AUTHZ_DENIED' })
  await expect(complete('local')).rejects.toMatchObject({ code: 'PERSON_NOT_NAMED' })
  await expect(complete('ben', `${token.slice(0, -1)}x`)).rejects.toMatchObject({ code: 'TASK_NOT_OPEN' })
  expect(await run.records()).toEqual(before)
  const waits = await keelson.start(PLAN, undefined, { actorId: 'ana', queue: true, autoApprove: false })
  await expect(keelson.queue.approve(waits.runId, { actorId: 'ana' })).rejects.toMatchObject({ code: 'AUTHZ_DENIED' })
  expect(audited()).toMatchObject([
    { operation: 'completeTask', reasonCode: 'AUTHZ_DENIED', actorId: 'Ana', target: run.runId },
    { operation: 'completeTask', reasonCode: 'PERSON_NOT_NAMED', actorId: 'local', target: run.runId },
    { operation: 'completeTask', reasonCode: 'TASK_NOT_OPEN', actorId: 'ben', target: run.runId },
    { operation: 'approveRun', reasonCode: 'AUTHZ_DENIED', actorId: 'ana', target: waits.runId },
  ])
})

it('a run in the queue that was cancelled is told to be, once what lies in its inbox is taken', async () => {
  await using keelson = await openKeelson({ directory, adopt: false })
  const { runId, row } = await keelson.start(PLAN, undefined, { actorId: 'ana', queue: true, autoApprove: false })
  expect(await keelson.queue.settle(runId)).toEqual({ runId, status: 'PENDING' })
  await (await keelson.run(runId)).signal('CANCEL', {}, { wait: false })
  expect((await servicesOf(keelson).store.getRun(row.runKey))?.status).toBe('PENDING')
  expect(await keelson.queue.settle(runId)).toEqual({ runId, status: 'CANCELLED' })
})
