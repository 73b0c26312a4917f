import { describe, expect, it } from 'vitest'
import { checkCapabilities, isDegraded } from './check-capabilities.ts'
import { ADAPTERS, CAPABILITIES, normaliseCapability, type AdapterName } from './capabilities.ts'
import { parsePlan } from '../plan/compile/parse-plan.ts'
import type { Plan, PlanMetadata } from '../plan/plan.ts'

const AT = { generatedAt: '2030-01-01T00:00:00.000Z' }

function planWith(metadata: Partial<PlanMetadata>, fields = ''): Plan {
  const parsed = parsePlan(`plan: a\nversion: "1"\n${fields}\nsteps: [{ id: s, run: f }]`)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return { ...parsed.value.plan, metadata: { ...parsed.value.plan.metadata, ...metadata } }
}

function codes(plan: Plan, adapter: AdapterName): { status: string; errors: string[]; warnings: string[] } {
  const { status, errors, warnings } = checkCapabilities(plan, adapter, AT)
  return { status, errors: errors.map(({ code }) => code), warnings: warnings.map(({ code }) => code) }
}

describe('capability names', () => {
  it('are one in both spellings; history.rotation means continue-as-new [CAP-07, X-45]', () => {
    const named = {
      PAUSE_NATIVE: 'signal.pause.native',
      PAUSE_EMULATED: 'signal.pause.emulated',
      CANCEL_COOPERATIVE: 'cancel.cooperative',
      CANCEL_FORCED: 'cancel.forced',
      CHILD_WORKFLOWS: 'workflow.child.workflows',
      DYNAMIC_FAN_OUT: 'workflow.fan.dynamic',
      PARALLEL_GROUPS: 'workflow.fan.parallel',
      QUERY_WORKFLOW_STATE: 'query.workflow.state',
      QUERY_TASK_STATE: 'query.task.state',
      DETERMINISTIC_REPLAY_FULL: 'replay.full',
      DETERMINISTIC_REPLAY_TASK: 'replay.task',
      CONTINUE_AS_NEW: 'workflow.continue.as.new',
      SIGNALS_RATE_LIMIT: 'signals.rate.limit',
      MULTI_SIGNAL_HANDLING: 'signals.concurrent',
      HISTORY_ROTATION_CONTINUE_AS_NEW: 'history.rotation',
    }
    expect(CAPABILITIES).toEqual(named)
    for (const [constant, dotted] of Object.entries(named)) {
      const meant = dotted === 'history.rotation' ? 'workflow.continue.as.new' : dotted
      expect([normaliseCapability(constant), normaliseCapability(dotted)]).toEqual([meant, meant])
    }
    expect(normaliseCapability('pause_native')).toBeUndefined()
  })
})

describe('the matrix', () => {
  it('is data that the check follows, engine by engine [CAP-08]', () => {
    for (const adapter of Object.values(ADAPTERS)) {
      for (const capability of Object.values(CAPABILITIES)) {
        const meant = normaliseCapability(capability) ?? capability
        const { status } = codes(planWith({ requiresCapabilities: [capability] }), adapter.adapter)
        expect([adapter.adapter, capability, status]).toEqual([
          adapter.adapter,
          capability,
          adapter.capabilities.includes(meant) ? 'VALID' : 'ERRORS',
        ])
      }
    }
  })

  it('follows a changed matrix without a change of code [CAP-08]', () => {
    const plan = planWith({ requiresCapabilities: ['workflow.fan.dynamic'] })
    const extended = {
      ...ADAPTERS.conductor,
      capabilities: [...ADAPTERS.conductor.capabilities, 'workflow.fan.dynamic'] as const,
    }
    expect(checkCapabilities(plan, 'conductor', AT).status).toBe('ERRORS')
    expect(checkCapabilities(plan, extended, AT).status).toBe('VALID')
  })

  it('has the ten capabilities of Temporal and the six of Conductor with their limits, and all for embedded and mock [CAP-08]', () => {
    expect(ADAPTERS.temporal.capabilities.join(' ')).toBe(
      'signal.pause.native cancel.cooperative workflow.child.workflows workflow.fan.dynamic workflow.fan.parallel ' +
        'query.workflow.state replay.full workflow.continue.as.new signals.rate.limit signals.concurrent',
    )
    expect(ADAPTERS.conductor.capabilities.join(' ')).toBe(
      'signal.pause.emulated cancel.forced workflow.fan.parallel query.task.state replay.task signals.rate.limit',
    )
    for (const all of [ADAPTERS.embedded, ADAPTERS.mock]) expect(all.capabilities).toEqual(Object.values(CAPABILITIES))
    expect(ADAPTERS.temporal.limits).toEqual({
      signalBytes: 64_000,
      signalsPerMinute: 60,
      historyBytes: 50_000_000,
      deferralMinutes: 1440,
    })
    expect(ADAPTERS.conductor.limits).toEqual({ signalBytes: 32_000, inputBytes: 32_000, historyBytes: 1_000_000 })
  })
})

describe('the report', () => {
  it('has the fields of the contract [CAP-03]', () => {
    const plan = planWith({ requiresCapabilities: ['PAUSE_NATIVE', 'replay.task'] })
    expect(checkCapabilities(plan, 'conductor', AT)).toEqual({
      planId: 'a',
      planVersion: '1',
      status: 'ERRORS',
      errors: [
        {
          code: 'CAPABILITY_NOT_SUPPORTED',
          capability: 'signal.pause.native',
          message: 'conductor lacks signal.pause.native',
        },
      ],
      warnings: [],
      generatedAt: '2030-01-01T00:00:00.000Z',
      targetAdapter: 'conductor',
      adapterVersion: '1',
      adapterCapabilities: ADAPTERS.conductor.capabilities,
      capabilityChecks: [
        {
          capability: 'signal.pause.native',
          supported: false,
          recommendation: 'set fallbackBehavior to emulate: signal.pause.emulated',
        },
        { capability: 'replay.task', supported: true, adapterSupport: 'native' },
      ],
      remediation: {
        suggestedFallbackBehavior: 'emulate',
        suggestedCapabilities: ['replay.task'],
        suggestedTargetAdapter: 'embedded',
      },
    })
  })

  it('names in each error what the plan asked for, and suggests only what helps [CAP-03]', () => {
    const remedy = (metadata: Partial<PlanMetadata>, adapter: AdapterName) => {
      const { errors, remediation } = checkCapabilities(planWith(metadata), adapter, AT)
      return [errors.map(({ capability }) => capability), remediation]
    }
    expect(remedy({ requiresCapabilities: ['DYNAMIC_FAN_OUT', 'PARALLEL_GROUPS'] }, 'conductor')).toEqual([
      ['workflow.fan.dynamic'],
      {
        suggestedFallbackBehavior: 'degrade',
        suggestedCapabilities: ['PARALLEL_GROUPS'],
        suggestedTargetAdapter: 'embedded',
      },
    ])
    const emulating = { requiresCapabilities: ['workflow.fan.dynamic'], fallbackBehavior: 'emulate' } as const
    expect(remedy(emulating, 'conductor')[1]).toMatchObject({ suggestedFallbackBehavior: 'degrade' })
    expect(remedy({ requiresCapabilities: ['workflow.dance', 'replay.full'] }, 'embedded')).toEqual([
      ['workflow.dance'],
      { suggestedCapabilities: ['replay.full'] },
    ])
    expect(remedy({ targetAdapter: 'temporal' }, 'embedded')).toEqual([
      ['temporal'],
      { suggestedTargetAdapter: 'temporal' },
    ])
    expect(remedy({ targetAdapter: 'conductor', requiresCapabilities: ['replay.full'] }, 'conductor')).toEqual([
      ['replay.full'],
      { suggestedFallbackBehavior: 'degrade', suggestedCapabilities: [] },
    ])
    expect(remedy({ requiresCapabilities: ['replay.full'] }, 'temporal')).toEqual([[], undefined])
    const unread = checkCapabilities({ ...planWith({}), schemaVersion: 'v9.0' }, 'embedded', AT)
    expect(unread.errors[0]).toMatchObject({ code: 'SCHEMA_VERSION_UNKNOWN', capability: 'v9.0' })
    const untrusted = checkCapabilities(planWith({}), 'embedded', { ...AT, pluginTiers: { f: undefined } })
    expect(untrusted.errors[0]).toMatchObject({ code: 'PLUGIN_TRUST_TIER_MISSING', capability: 'f' })
  })
})

describe('a missing capability', () => {
  it('is an error when nothing else is said [CAP-06]', () => {
    const plan = planWith({ requiresCapabilities: ['signal.pause.native'] })
    expect(plan.metadata.fallbackBehavior).toBe('reject')
    expect(codes(plan, 'conductor').errors).toEqual(['CAPABILITY_NOT_SUPPORTED'])
    expect(checkCapabilities(plan, 'conductor', AT).status).toBe('ERRORS')
  })

  it.each([
    ['signal.pause.native', 'CAPABILITY_EMULATED'],
    ['cancel.cooperative', 'CAPABILITY_EMULATED'],
    ['workflow.continue.as.new', 'CAPABILITY_EMULATED'],
  ])('is emulated when asked for and known how: %s [X-44]', (capability, code) => {
    const plan = planWith({ requiresCapabilities: [capability], fallbackBehavior: 'emulate' })
    expect(codes(plan, 'conductor')).toEqual({ status: 'WARNINGS', errors: [], warnings: [code] })
    expect(isDegraded(checkCapabilities(plan, 'conductor', AT), plan)).toBe(true)
  })

  it('is an error when no emulation is known, even under emulate [X-44]', () => {
    const plan = planWith({ requiresCapabilities: ['workflow.fan.dynamic'], fallbackBehavior: 'emulate' })
    expect(codes(plan, 'conductor').errors).toEqual(['CAPABILITY_NOT_SUPPORTED'])
    expect(checkCapabilities(plan, 'conductor', AT).status).toBe('ERRORS')
  })

  it('is told as degraded under degrade, never passed over [X-44]', () => {
    const plan = planWith({ requiresCapabilities: ['workflow.fan.dynamic'], fallbackBehavior: 'degrade' })
    expect(codes(plan, 'conductor')).toEqual({ status: 'WARNINGS', errors: [], warnings: ['CAPABILITY_DEGRADED'] })
  })

  it.each(['reject', 'emulate', 'degrade'] as const)(
    'that nobody knows stops under %s [CAP-10]',
    (fallbackBehavior) => {
      const plan = planWith({ requiresCapabilities: ['signal.pause.natve'], fallbackBehavior })
      const report = checkCapabilities(plan, 'embedded', AT)
      expect(report.errors).toEqual([
        {
          code: 'CAPABILITY_UNKNOWN',
          capability: 'signal.pause.natve',
          message: "there is no capability 'signal.pause.natve'; did you mean 'signal.pause.native'?",
        },
      ])
      expect(report.status).toBe('ERRORS')
    },
  )
})

describe('the other codes', () => {
  it('INVALID_TARGET_ADAPTER: a plan for another engine', () => {
    expect(codes(planWith({ targetAdapter: 'temporal' }), 'embedded').errors).toEqual(['INVALID_TARGET_ADAPTER'])
    expect(codes(planWith({ targetAdapter: 'temporal' }), 'temporal').status).toBe('VALID')
  })

  it('SCHEMA_VERSION_UNKNOWN and SCHEMA_VERSION_DEPRECATED', () => {
    const at = (schemaVersion: string): unknown => {
      const report = checkCapabilities({ ...planWith({}), schemaVersion }, 'embedded', {
        ...AT,
        currentSchemaVersion: 'v1.5',
      })
      return [...report.errors, ...report.warnings].map(({ code }) => code)
    }
    expect(at('v1.6')).toEqual(['SCHEMA_VERSION_UNKNOWN'])
    expect(at('v1.1')).toEqual(['SCHEMA_VERSION_UNKNOWN'])
    expect(at('v1.2')).toEqual(['SCHEMA_VERSION_DEPRECATED'])
    expect(at('v1.3')).toEqual([])
  })

  it('PLUGIN_TRUST_TIER_MISSING stops whatever the fallback [X-44]', () => {
    const plan = planWith({ fallbackBehavior: 'degrade' })
    const missing = checkCapabilities(plan, 'embedded', { ...AT, pluginTiers: { f: undefined } })
    expect(missing.errors.map(({ code }) => code)).toEqual(['PLUGIN_TRUST_TIER_MISSING'])
    expect(missing.status).toBe('ERRORS')
    expect(checkCapabilities(plan, 'embedded', { ...AT, pluginTiers: { f: 'partner' } }).status).toBe('VALID')
  })

  it('PERFORMANCE_IMPACT: more concurrency than the engine carries', () => {
    const plan = planWith({}, 'policy: { concurrency: 501 }')
    expect(codes(plan, 'temporal').warnings).toEqual(['PERFORMANCE_IMPACT'])
    expect(codes(plan, 'embedded').warnings).toEqual([])
  })

  it('LATENCY_EXPECTED under reject starts normally, without a degraded mark, with its report kept [CAP-15]', () => {
    const parsed = parsePlan('plan: a\nversion: "1"\nsteps: [{ id: s, wait: { forMs: 10 } }]')
    if (!parsed.ok) throw new Error('the plan must parse')
    const { plan } = parsed.value
    const report = checkCapabilities(plan, 'conductor', AT)
    expect(report.warnings.map(({ code }) => code)).toEqual(['LATENCY_EXPECTED'])
    expect([report.status, isDegraded(report, plan)]).toEqual(['WARNINGS', false])
  })
})
