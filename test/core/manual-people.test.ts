/** Who may see and complete a manual task: tokens, authenticated people, separated duties, and what stays as evidence. */
import { describe, expect, it } from 'vitest'
import { completionModeOf, EXECUTION_TIERS, type ExecutionTier } from '../../src/core/view/fold/vocabulary.ts'
import { evidenceOf } from '../../src/core/view/show/evidence.ts'
import { manualCompletion } from '../../src/core/events/manual-completion.ts'
import { validateJson } from '../../src/app/schemas/json-schema.ts'
import {
  completeTask,
  openTasksFor,
  readCompletion,
  type CompletionAnswer,
  type OpenTask,
  type TaskViewer,
} from '../../src/app/steer/manual-tasks.ts'
import type { TaskCompletion } from '../../src/app/inbox/task-completion.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import type { SigningKeys } from '../../src/ports/signing-keys.ts'
import { World, type Process } from '../fixtures/virtual-world.ts'

const KEY = { keyId: 'k1', secret: new Uint8Array(32).fill(9) }
const KEYS: SigningKeys = { current: async () => KEY, find: async (keyId) => (keyId === KEY.keyId ? KEY : undefined) }
const SIGN = `steps: [{ id: sign, manual: { title: Sign it } }]`

const codeOf = (thrown: unknown): string => (thrown instanceof KeelsonError ? thrown.code : String(thrown))

function listing(process: Process, key: RunKey, viewer: Partial<TaskViewer> = {}): Promise<readonly OpenTask[]> {
  const { runId } = process.world.row(key)
  const full = { tenantId: 'local', actorId: 'maria', allowed: true, ...viewer }
  return openTasksFor(process.services, process.advancer, KEYS, runId, full)
}

/** Completes the open task of a step as somebody; the answer's kind or the refusal's code. */
async function as(
  process: Process,
  key: RunKey,
  actorUserId: string,
  slot: string,
  more: Partial<TaskCompletion> & { readonly subject?: string } = {},
): Promise<string> {
  const { subject, ...completion } = more
  const task = (await listing(process, key, { actorId: subject ?? actorUserId })).find((one) => one.slot === slot)
  const asked = { completionToken: task?.token ?? '', outcome: 'Succeeded', actorUserId, ...completion } as const
  let answer: CompletionAnswer
  try {
    answer = await completeTask(process.services, process.advancer, KEYS, process.world.row(key), asked, subject)
  } catch (thrown) {
    return codeOf(thrown)
  }
  process.engine.wake(key)
  await process.world.time.quiet()
  return answer.kind
}

const CHECKED = `steps: [{ id: sign, manual: { title: Sign, rule: MakerChecker } }]`
const MAKER = { tenantId: 'local', projectId: 'default', environmentId: 'local', actorId: 'maker' }

async function opened(yaml: string, more = {}): Promise<{ world: World; process: Process; key: RunKey }> {
  const world = new World()
  const process = world.process('only')
  const key = await process.start(yaml, more)
  await world.time.quiet()
  return { world, process, key }
}

describe('a token', () => {
  it('has 128 bits and more, lies in no record, inbox row, row or snapshot, and is shown to permitted people of the tenant only [MAN-02]', async () => {
    const { world, process, key } = await opened(
      `steps: [{ id: sign, manual: { title: Sign, assignees: [maria] }, dependsOn: [] }, { id: all, manual: { title: All }, dependsOn: [] }]`,
    )
    const [mine, anybody] = await listing(process, key)
    const secret = mine?.token.split('.')[1] ?? ''
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set([secret, anybody?.token.split('.')[1]]).size).toBe(2)
    expect((await listing(process, key, { actorId: 'olga' })).map((task) => task.slot)).toEqual(['all'])
    await expect(listing(process, key, { allowed: false })).rejects.toMatchObject({ code: 'AUTHZ_DENIED' })
    await expect(listing(process, key, { tenantId: 'other' })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
    expect(await as(process, key, 'maria', 'sign')).toBe('accepted')
    const run = world.disk.runs[0]
    const stored = JSON.stringify([run?.events, [...(run?.inbox.values() ?? [])], run?.row, world.records(key)])
    expect(stored).toContain('sign')
    expect(stored).not.toContain(secret)
  })
})

describe('the completion signal', () => {
  const signal = {
    schemaVersion: 1,
    runId: 'r',
    actionId: 'sign',
    completionToken: 'k1.abc',
    outcome: 'Succeeded',
    actorUserId: 'maria',
    completedAtIso: '2030-01-01T00:00:00Z',
    notes: 'seen',
    evidenceRefs: ['doc-1'],
  }

  it('has exactly the fields of its schema, and says so by name when it has not [MAN-03]', () => {
    expect(readCompletion(signal)).toEqual({
      runId: 'r',
      actionId: 'sign',
      completionToken: 'k1.abc',
      outcome: 'Succeeded',
      actorUserId: 'maria',
      notes: 'seen',
      evidenceRefs: ['doc-1'],
    })
    const { notes: _notes, evidenceRefs: _refs, ...least } = signal
    expect(() => readCompletion(least)).not.toThrow()
    const wrong: readonly Readonly<Record<string, unknown>>[] = [
      { schemaVersion: 2 },
      { outcome: 'Done' },
      { completedAtIso: 'yesterday' },
      { evidenceRefs: [1] },
      { stranger: true },
      ...Object.keys(least).map((name) => ({ [name]: undefined })),
    ]
    for (const change of wrong) {
      const changed = JSON.parse(JSON.stringify({ ...signal, ...change })) as unknown
      const [field] = Object.keys(change)
      expect(() => readCompletion(changed), field).toThrow(/TASK_COMPLETION_INVALID/)
      expect(validateJson(manualCompletion.schema, changed, 'INPUT_INVALID').ok, field).toBe(false)
    }
    expect(validateJson(manualCompletion.schema, signal, 'INPUT_INVALID').ok).toBe(true)
  })

  it('is of the run and the step it names [MAN-03]', async () => {
    const { world, process, key } = await opened(SIGN)
    const { runId } = world.row(key)
    expect(await as(process, key, 'maria', 'sign', { runId: 'another' })).toBe('TASK_COMPLETION_INVALID')
    expect(await as(process, key, 'maria', 'sign', { actionId: 'other' })).toBe('TASK_COMPLETION_INVALID')
    expect(await as(process, key, 'maria', 'sign', { runId, actionId: 'sign' })).toBe('accepted')
  })
})

describe('before the task is touched', () => {
  it('the person must be the authenticated one, and the rule must agree; a denial leaves the task open with its token [MAN-07]', async () => {
    const { world, process, key } = await opened(CHECKED, { principal: MAKER })
    const length = world.records(key).length
    const [before] = await listing(process, key)
    expect(await as(process, key, 'maker', 'sign')).toBe('AUTHZ_DENIED')
    expect(await as(process, key, 'local', 'sign')).toBe('PERSON_NOT_NAMED')
    // In another's name: refused although that other person may, so the rule was not even asked.
    expect(await as(process, key, 'maria', 'sign', { subject: 'eve' })).toBe('AUTHZ_DENIED')
    expect(await listing(process, key)).toEqual([before])
    expect(world.records(key)).toHaveLength(length)
    expect(world.row(key).status).toBe('RUNNING')
    expect(await as(process, key, 'maria', 'sign', { subject: 'maria' })).toBe('accepted')
    expect(world.row(key).status).toBe('COMPLETED')
  })

  it("an impostor is refused before the run's history is read for the rule [MAN-07]", async () => {
    const world = new World()
    let reads = 0
    const process = world.process('only', {
      wrapStore: (store) => ({
        ...store,
        readEvents: (...args) => {
          reads += 1
          return store.readEvents(...args)
        },
      }),
    })
    const key = await process.start(CHECKED, { principal: MAKER })
    const [task] = await listing(process, key)
    reads = 0
    const completion = { completionToken: task?.token ?? '', outcome: 'Succeeded', actorUserId: 'maria' } as const
    const ask = completeTask(process.services, process.advancer, KEYS, world.row(key), completion, 'eve')
    await expect(ask).rejects.toMatchObject({ code: 'AUTHZ_DENIED' })
    expect(reads).toBe(0)
  })
})

describe('separated duties', () => {
  const two = (rule: string, labels = ''): string => `
steps:
  - { id: prepare, manual: { title: Prepare }${labels} }
  - { id: release, manual: { title: Release, rule: "${rule}" } }`

  it('MakerChecker and HazardousZoneNoSelfApproval refuse whoever started the run [MAN-08]', async () => {
    for (const rule of ['MakerChecker', 'HazardousZoneNoSelfApproval']) {
      const { process, key } = await opened(two(rule), { principal: MAKER })
      expect(await as(process, key, 'maker', 'prepare')).toBe('accepted')
      expect(await as(process, key, 'maker', 'release')).toBe('AUTHZ_DENIED')
      expect(await as(process, key, 'checker', 'release')).toBe('accepted')
    }
  })

  it('DistinctApprovers and SafetyClassifiedZoneDualApproval count the people of the whole run [MAN-08]', async () => {
    for (const rule of ['DistinctApprovers(2)', 'SafetyClassifiedZoneDualApproval']) {
      const { world, process, key } = await opened(two(rule))
      expect(await as(process, key, 'maria', 'prepare')).toBe('accepted')
      expect(await as(process, key, 'maria', 'release')).toBe('AUTHZ_DENIED')
      expect(await as(process, key, 'olga', 'release')).toBe('accepted')
      expect(world.row(key).status).toBe('COMPLETED')
    }
    const three = await opened(two('DistinctApprovers(3)'))
    await as(three.process, three.key, 'maria', 'prepare')
    expect(await as(three.process, three.key, 'olga', 'release')).toBe('AUTHZ_DENIED')
  })

  it('IncompatibleDuties refuses one of them to who did another, by step or by label [MAN-08]', async () => {
    for (const [rule, labels] of [
      ['IncompatibleDuties(prepare, release)', ''],
      ['IncompatibleDuties(maker, release)', ', labels: { duty: maker }'],
      ['IncompatibleDuties(invoice:prepare, release)', ', labels: { duty: "invoice:prepare" }'],
    ] as const) {
      const { process, key } = await opened(two(rule, labels))
      await as(process, key, 'maria', 'prepare')
      expect(await as(process, key, 'maria', 'release')).toBe('AUTHZ_DENIED')
      expect(await as(process, key, 'olga', 'release')).toBe('accepted')
    }
    const other = await opened(two('IncompatibleDuties(audit, release)'))
    await as(other.process, other.key, 'maria', 'prepare')
    expect(await as(other.process, other.key, 'maria', 'release')).toBe('accepted')
  })

  it('RemoteEstopRequesterSeparation refuses who pulled the stop, in the run that starts over [MAN-08]', async () => {
    const { world, process, key } = await opened(SIGN)
    await process.signal(key, 'EMERGENCY_STOP', { reason: 'smoke' })
    expect(world.row(key).status).toBe('CANCELLED')
    const again = await process.start(
      `steps: [{ id: go, manual: { title: Go, rule: RemoteEstopRequesterSeparation } }]`,
      { originalRunId: world.row(key).runId },
    )
    expect(await as(process, again, 'olga', 'go')).toBe('AUTHZ_DENIED')
    expect(await as(process, again, 'maria', 'go')).toBe('accepted')
  })
})

describe('what a person did', () => {
  it('stands in the evidence with actor, time, notes and references, whatever the outcome [MAN-12]', async () => {
    for (const outcome of ['Succeeded', 'Failed'] as const) {
      const { world, process, key } = await opened(SIGN)
      await world.advanceBy(60_000)
      const said = { outcome, notes: 'checked the seal', evidenceRefs: ['photo-1', 'form-7'] }
      expect(await as(process, key, 'maria', 'sign', said)).toBe('accepted')
      const entry = evidenceOf(world.records(key)).find((one) => one.actionId === 'sign' && one.kind === 'terminal')
      expect(entry).toMatchObject({
        outcome,
        endedAtIso: new Date(world.time.now()).toISOString(),
        completedBy: { actorUserId: 'maria', notes: 'checked the seal', evidenceRefs: ['photo-1', 'form-7'] },
      })
    }
  })
})

describe('an action of seed 3', () => {
  /** The step such an action becomes: a task where a person ends it, else a call. */
  const asStep = (workflow: ExecutionTier, override?: ExecutionTier): string =>
    completionModeOf(workflow, override) === 'manual' ? 'manual: { title: Act }' : 'run: f'

  it('waits for a person exactly when its effective tier is ManualOnly; with us, when the step is manual [MAN-14]', async () => {
    for (const workflow of EXECUTION_TIERS)
      for (const override of [undefined, ...EXECUTION_TIERS]) {
        const { world, process, key } = await opened(`steps: [{ id: act, ${asStep(workflow, override)} }]`)
        const waits = (override ?? workflow) === 'ManualOnly'
        expect(world.log(key, 'ManualTaskOpened'), `${workflow}, ${override ?? 'none'}`).toHaveLength(waits ? 1 : 0)
        expect(world.row(key).status).toBe(waits ? 'RUNNING' : 'COMPLETED')
        expect(await listing(process, key)).toHaveLength(waits ? 1 : 0)
      }
    expect(completionModeOf('Auto', 'ManualOnly')).toBe('manual')
    expect(completionModeOf('HumanApprove')).toBe('auto')
    expect(completionModeOf('ManualOnly', 'Auto')).toBe('auto')
  })
})
