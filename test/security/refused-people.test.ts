/** Somebody who was refused, and whoever wonders why nothing goes on: `tasks` and `why` say who, why, and who would do. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dutyProblems } from '../../src/app/plans/check-duties.ts'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import { ensureBuilt } from '../e2e/built.ts'
import { keelson } from '../e2e/command.ts'
import { untilFound } from '../fixtures/until.ts'
import { servicesOf } from '../../src/library/services-of.ts'

const folders: string[] = []
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'keelson-refused-'))
  folders.push(made)
  return made
}
afterAll(() => folders.forEach((one) => rmSync(one, { recursive: true, force: true })))

beforeAll(ensureBuilt)

const cli = async (cwd: string, ...args: readonly string[]): Promise<string> => (await keelson(args, cwd)).stdout

async function post(at: Keelson, run: RunHandle, actorId: string): Promise<void> {
  const result = { kind: 'completed', output: null, artifactRefs: [], durationMs: 0, by: { actorId } }
  const body = JSON.stringify({ slot: 'release', attempt: 1, engineAttempt: 1, result })
  await servicesOf(at).store.insertInbox(run.row, { inboxId: `manual:${actorId}`, kind: 'manual', body })
  await run.signal('RESUME')
}

describe('who was refused', () => {
  it('is told by tasks and why, with the reason and who would do, as text and as JSON [MAN-08]', async () => {
    const cwd = folder()
    const plan = loadPlan(
      'plan: asks\nversion: 1.0.0\nsteps: [{ id: release, manual: { title: Release, rule: MakerChecker } }]',
    )
    const at = await openKeelson({ directory: join(cwd, '.keelson') })
    const run = await at.start(plan, {}, { actorId: 'ana' })
    const queued = await at.start(plan, {}, { actorId: 'ana', queue: true, autoApprove: false })
    await untilFound(async () => (await run.tasks())[0])
    await post(at, run, 'Ana')
    await untilFound(async () => (await run.tasks())[0]?.refused)
    const body = JSON.stringify({ approvedBy: 'ANA' })
    await servicesOf(at).store.insertInbox(queued.row, { inboxId: 'approve:forged', kind: 'approve', body })
    await queued.signal('ESCALATE_ALERT', { level: 'INFO' }).catch(() => undefined)
    const whoMay = 'somebody who had no part in making the run: not ana'
    const refused = {
      actorId: 'Ana',
      code: 'AUTHZ_DENIED',
      why: "Ana may not complete 'release': ana started this run (MakerChecker)",
    }
    expect((await run.tasks())[0]).toMatchObject({ slot: 'release', whoMay, refused: [refused] })
    expect(await run.why('release')).toMatchObject([{ kind: 'waiting-for-person', whoMay, refused: [refused] }])
    expect(await queued.why('release')).toMatchObject([
      {
        kind: 'run-not-started',
        whoMay: 'somebody who did not ask for the run: not ana',
        refused: [{ actorId: 'ANA', code: 'AUTHZ_DENIED' }],
      },
    ])
    await at.close()
    const tasks = await cli(cwd, 'tasks')
    expect(tasks).toContain(`who may   ${whoMay}`)
    expect(tasks).toMatch(/refused {3}Ana may not complete 'release'.*\(AUTHZ_DENIED, runSeq \d+\)/)
    const why = await cli(cwd, 'why', run.runId, 'release')
    expect(why).toContain(`refused: ${refused.why}`)
    expect(why).toContain(`who may: ${whoMay}`)
    expect(await cli(cwd, 'why', run.runId, 'release', '--json')).toContain(JSON.stringify(refused.why))
    expect(await cli(cwd, 'tasks', '--json')).toContain('"whoMay"')
    expect(await cli(cwd, 'why', queued.runId, 'release')).toContain('somebody who did not ask for the run: not ana')
  })
})

const problemsOf = (...steps: readonly string[]): readonly string[] =>
  dutyProblems(
    steps.map((one, at) => loadPlan(`plan: ${at === 0 ? 'p' : `c${at}`}\nversion: 1.0.0\nsteps: [${one}]`)),
  ).map(({ code, message }) => `${code} ${message}`)

describe('plan check knows before a run exists', () => {
  const GATE = '{ id: approve, manual: { title: A } }'
  const PAY = '{ id: pay, run: pay, effect: irreversible }'
  const EACH = 'forEach: "[`1`]"'

  it('that one approval would release many dispatches, in the plan and in the plans it starts [MAN-13]', () => {
    expect(problemsOf(`${GATE}, { id: pay, run: pay, effect: irreversible, ${EACH} }`)).toEqual([
      "APPROVAL_FOR_MANY p: 'pay' cannot be undone and is dispatched for each item after 'approve'",
    ])
    expect(problemsOf(`${GATE}, { id: c, plan: { planId: c1 }, ${EACH} }`, PAY)).toEqual([
      "APPROVAL_FOR_MANY p: 'c/pay' cannot be undone and is dispatched for each item after 'approve'",
    ])
    expect(
      problemsOf(`${GATE}, { id: c, plan: { planId: c1 } }`, `{ id: d, plan: { planId: c2 }, ${EACH} }`, PAY),
    ).toEqual(["APPROVAL_FOR_MANY p: 'c/d/pay' cannot be undone and is dispatched for each item after 'approve'"])
    expect(problemsOf(`${GATE}, { id: c, plan: { planId: c1 }, ${EACH} }`, `${GATE}, ${PAY}`)).toEqual([])
    expect(problemsOf(`${GATE}, { id: c, plan: { planId: c1 } }`, PAY)).toEqual([])
    expect(problemsOf(`{ id: c, plan: { planId: c1 }, ${EACH} }`, PAY)).toEqual([])
  })

  it('that nobody could ever meet a rule [MAN-08]', () => {
    const two = (rule: string): string => `{ id: two, manual: { title: T, rule: ${rule} } }`
    expect(problemsOf(two('DistinctApprovers(2)'))).toEqual([
      "DUTY_UNMEETABLE p: 'two' asks for 2 different people, and 1 of them at most can have approved by then",
    ])
    expect(problemsOf(`${two('SafetyClassifiedZoneDualApproval')}, ${GATE}`)).toHaveLength(1)
    expect(problemsOf(`${GATE}, ${two('DistinctApprovers(2)')}`)).toEqual([])
    expect(problemsOf(`{ id: many, manual: { title: M }, ${EACH} }, ${two('DistinctApprovers(9)')}`)).toEqual([])
  })

  it('says so at the command line and fails', async () => {
    const cwd = folder()
    writeFileSync(
      join(cwd, 'p.yaml'),
      `plan: p\nversion: 1.0.0\nsteps: [${GATE}, { id: c, plan: { planId: c1 }, ${EACH} }]`,
    )
    writeFileSync(
      join(cwd, 'c1.yaml'),
      'plan: c1\nversion: 1.0.0\nsteps: [{ id: pay, command: { argv: ["true"] }, effect: irreversible }]',
    )
    const checked = await keelson(['plan', 'check', 'p.yaml'], cwd)
    expect(checked.stderr).toContain('APPROVAL_FOR_MANY')
    expect(checked.code).toBe(2)
  })
})
