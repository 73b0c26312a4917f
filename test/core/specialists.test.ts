/** SpecialistApproval: a task is completed by somebody with one of the roles, as whoever authenticates people says. */
import { describe, expect, it } from 'vitest'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'
import { refusal } from '../fixtures/refusal.ts'
import { untilFound } from '../fixtures/until.ts'

const PLAN = loadPlan(
  'plan: change\nversion: 1.0.0\nsteps: [{ id: release, manual: { title: Release it, rule: "SpecialistApproval(dba, security)" } }]',
)
const steps = {}

async function asked(keelson: Keelson): Promise<{ readonly run: RunHandle; readonly token: string }> {
  const run = await keelson.start(PLAN, {}, { actorId: 'mia' })
  const { token } = await untilFound(async () => (await run.tasks())[0])
  return { run, token }
}

const ended = async (run: RunHandle) =>
  (await run.records()).find(({ eventType }) => /^Step(Completed|Failed)$/.test(eventType))

describe('a task for specialists', () => {
  it.each([
    ['Succeeded', 'StepCompleted'],
    ['Failed', 'StepFailed'],
  ] as const)(
    '%s by somebody with one of the roles, which are on record with the person; the decision can be made again [MAN-08]',
    async (outcome, eventType) => {
      await using keelson = await openKeelson({ directory: testFolder(), steps })
      const { run, token } = await asked(keelson)
      const by = { completionToken: token, outcome, actorUserId: 'ana', actorRoles: ['viewer', 'security'] }
      expect(await run.completeTask(by)).toMatchObject({ kind: 'accepted' })
      await run.result()
      expect(await ended(run)).toMatchObject({
        eventType,
        payload: { actorId: 'ana', actorRoles: ['viewer', 'security'] },
      })
      expect((await keelson.maintenance.verify((await keelson.run(run.runId)).row)).decisions).toMatchObject({
        follows: true,
      })
      expect(await run.completeTask(by)).toMatchObject({ kind: 'repeat' })
    },
  )

  it.each([
    ['without a role', {}],
    ['with no roles', { actorRoles: [] }],
    ['with another role', { actorRoles: ['DBA', 'dba2'] }],
  ])('is refused to somebody %s, and stays open for others [MAN-07, MAN-08]', async (_of, roles) => {
    await using keelson = await openKeelson({ directory: ':memory:', steps })
    const { run, token } = await asked(keelson)
    const by = { completionToken: token, outcome: 'Succeeded', actorUserId: 'ana', ...roles } as const
    const { code, problems } = await refusal(run.completeTask(by))
    expect([code, problems[0].message]).toEqual(['AUTHZ_DENIED', expect.stringContaining('the role dba or security')])
    expect((await run.completeTask({ ...by, actorUserId: 'bo', actorRoles: ['dba'] })).kind).toBe('accepted')
    expect((await run.result()).status).toBe('COMPLETED')
  })

  it('is not skipped by somebody without the role [MAN-08]', async () => {
    await using keelson = await openKeelson({ directory: ':memory:', steps })
    const later = loadPlan(
      'plan: later\nversion: 1.0.0\nsteps: [{ id: first, manual: { title: Wait } }, { id: release, manual: { title: Release it, rule: "SpecialistApproval(dba)" } }]',
    )
    const run = await keelson.start(later, {}, { actorId: 'mia' })
    await untilFound(async () => (await run.tasks())[0])
    const skip = run.signal('SKIP_STEP', { stepId: 'release', reason: 'no need' }, { actorId: 'ana' })
    expect((await refusal(skip)).code).toBe('AUTHZ_DENIED')
  })

  it.each([[['']], [[5]], ['dba'], [Array.from({ length: 33 }, () => 'dba')]])(
    'is not completed with roles that are none: %j [MAN-03]',
    async (actorRoles) => {
      await using keelson = await openKeelson({ directory: ':memory:', steps })
      const { run, token } = await asked(keelson)
      const wrong = {
        completionToken: token,
        outcome: 'Succeeded',
        actorUserId: 'ana',
        actorRoles: actorRoles as string[],
      } as const
      expect((await refusal(run.completeTask(wrong))).code).toBe('TASK_COMPLETION_INVALID')
    },
  )
})
