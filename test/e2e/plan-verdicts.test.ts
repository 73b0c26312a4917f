/** The verdict on a plan, typed: `plan check` says what `run` would, and `show` tells what was found of a run's plan. */
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson, linesOf } from './command.ts'

const STEPS = 'export const f = () => 1\n'
const planText = (rest: string): string => `plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: f }]\n${rest}\n`

interface Told {
  readonly problems: readonly [{ readonly code: string; readonly message: string; readonly details: Details }]
}
interface Details {
  readonly report: { readonly status: string; readonly generatedAt: string }
  readonly runId?: string
}

beforeAll(ensureBuilt)

describe('a plan that its engine cannot run', () => {
  it('gets the same verdict, code and report from plan check and from run, and show tells the kept report [CAP-03, CAP-04, CAP-11]', async () => {
    const folder = folderWith({
      'p.yaml': planText('requires: [workflow.dance, PAUSE_NATIVE]'),
      'keelson.steps.ts': STEPS,
    })
    const told = async (...command: string[]) => {
      const { code, stdout } = await keelson([...command, 'p.yaml', '--json'], folder)
      expect(code).toBe(2)
      const [line] = jsonLines(stdout) as unknown as readonly Told[]
      const [{ code: problem, message, details }] = line?.problems ?? [{ code: '', message: '', details: undefined }]
      return { problem, message, report: details?.report, runId: details?.runId }
    }
    const checked = await told('plan', 'check')
    const run = await told('run')
    expect(checked.problem).toBe('PLAN_VALIDATION_FAILED')
    expect({ ...checked, runId: run.runId, report: { ...checked.report, generatedAt: '' } }).toEqual({
      ...run,
      report: { ...run.report, generatedAt: '' },
    })
    expect(run.report).toMatchObject({
      planId: 'p',
      planVersion: '1.0.0',
      status: 'ERRORS',
      targetAdapter: 'embedded',
      errors: [{ code: 'CAPABILITY_UNKNOWN', capability: 'workflow.dance' }],
      remediation: { suggestedCapabilities: ['PAUSE_NATIVE'] },
    })
    const [shown] = jsonLines((await keelson(['show', run.runId ?? '', '--json'], folder)).stdout)
    expect(shown).toMatchObject({ status: 'FAILED', validationReport: run.report })
    const { stdout } = await keelson(['show', run.runId ?? ''], folder)
    expect(stdout).toContain("CAPABILITY_UNKNOWN  there is no capability 'workflow.dance'")
    expect((await keelson(['runs'], folder)).stdout).toMatch(/p 1\.0\.0 +FAILED .* PLAN_VALIDATION_FAILED/)
    expect(jsonLines((await keelson(['runs', '--json'], folder)).stdout)).toContainEqual(
      expect.objectContaining({ runId: run.runId, status: 'FAILED', errorCode: 'PLAN_VALIDATION_FAILED' }),
    )
  })
})

describe('plan check', () => {
  it('holds the plan against the engine of --engine, embedded by default, and tells what it would do without [CAP-05]', async () => {
    const degrading = planText('requires: [cancel.forced]\nmetadata: { fallbackBehavior: degrade }')
    const folder = folderWith({
      'p.yaml': degrading,
      'strict.yaml': planText('requires: [cancel.forced]').replace('plan: p', 'plan: strict'),
      'keelson.steps.ts': STEPS,
    })
    const reportOf = async (...more: string[]) => {
      const { stdout } = await keelson(['plan', 'check', 'p.yaml', '--json', ...more], folder)
      return (jsonLines(stdout)[0] as Record<string, unknown> | undefined)?.['validationReport']
    }
    expect(await reportOf()).toMatchObject({ status: 'VALID', targetAdapter: 'embedded', errors: [], warnings: [] })
    expect(await reportOf('--engine', 'temporal')).toMatchObject({
      status: 'WARNINGS',
      targetAdapter: 'temporal',
      warnings: [{ code: 'CAPABILITY_DEGRADED' }],
      capabilityChecks: [{ capability: 'cancel.forced', supported: false, adapterSupport: 'degraded' }],
    })
    const { code, stdout } = await keelson(['plan', 'check', 'p.yaml', '--engine', 'temporal'], folder)
    expect([code, linesOf(stdout)[1]]).toEqual([
      0,
      '  ! CAPABILITY_DEGRADED  temporal lacks cancel.forced; the run goes on without it',
    ])
    const strict = await keelson(['plan', 'check', 'strict.yaml', '--engine', 'temporal'], folder)
    expect(strict.code).toBe(2)
    expect(linesOf(strict.stderr)[0]).toMatch(
      /^PLAN_VALIDATION_FAILED {2}CAPABILITY_NOT_SUPPORTED: temporal lacks cancel.forced/,
    )
    const unknown = await keelson(['plan', 'check', 'p.yaml', '--engine', 'tempral'], folder)
    expect(unknown.code).toBe(2)
    expect(linesOf(unknown.stderr)[0]).toMatch(/^ENGINE_UNKNOWN {2}/)
  })

  it('judges the plans that it starts as well [CAP-02]', async () => {
    const folder = folderWith({
      'parent.yaml': 'plan: parent\nversion: 1.0.0\nsteps: [{ id: call, plan: { planId: p } }]\n',
      'p.yaml': planText('requires: [workflow.dance]'),
      'keelson.steps.ts': STEPS,
    })
    const { code, stderr } = await keelson(['plan', 'check', 'parent.yaml'], folder)
    expect(code).toBe(2)
    expect(linesOf(stderr)[0]).toMatch(/^PLAN_VALIDATION_FAILED {2}.*workflow\.dance/)
  })
})

describe('a run that has not started', () => {
  it('is PENDING in show, runs, queue and why, each with its reason and its instant [BPQ-03, X-85]', async () => {
    const folder = folderWith({ 'p.yaml': planText(''), 'keelson.steps.ts': STEPS })
    const admitted = async (...more: string[]) => {
      const { stdout } = await keelson(['run', 'p.yaml', '--queue', '--json', ...more], folder)
      return (jsonLines(stdout)[0] as { result: { runId: string; status: string } }).result
    }
    const instant = '2099-01-01T00:00:00.000Z'
    const [queued, delayed] = [await admitted(), await admitted('--not-before', instant)]
    expect([queued.status, delayed.status]).toEqual(['PENDING', 'PENDING'])
    const show = async (runId: string) => (await keelson(['show', runId], folder)).stdout
    expect(await show(queued.runId)).toContain('PENDING   queued until somebody starts it')
    expect(await show(delayed.runId)).toContain(`PENDING   not before ${instant}`)
    const why = async (runId: string) => (await keelson(['why', runId, 'a'], folder)).stdout
    expect(await why(queued.runId)).toMatch(/has not started \(PENDING\): it is queued until somebody starts it/)
    expect(await why(delayed.runId)).toMatch(
      /has not started \(PENDING\): it is delayed until its time; not before 2099-01-01/,
    )
    const runs = (await keelson(['runs'], folder)).stdout
    expect(runs).toMatch(/PENDING .* queued$/m)
    expect(runs).toMatch(/PENDING .* not before 2099-01-01/)
    for (const command of ['runs', 'queue']) {
      const rows = jsonLines((await keelson([command, '--json'], folder)).stdout)
      const found = rows.find(({ runId }) => runId === delayed.runId)
      expect(found).toMatchObject({ status: 'PENDING', notBefore: instant })
    }
    expect((await keelson(['queue', 'start', queued.runId], folder)).code).toBe(0)
    const named = await keelson(['queue', 'start', delayed.runId], folder)
    expect(linesOf(named.stderr)[0]).toMatch(/^RUN_NOT_QUEUED {2}.*is not due yet/)
  })
})
