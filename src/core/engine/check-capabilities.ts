/**
 * Compares what a plan requires with what an engine offers, before the engine is called. It fails closed: a missing
 * fallbackBehavior rejects, an unknown name is an error whatever the fallback, and an emulation must be a known one
 * (X-44, X-45).
 */
import {
  ADAPTERS,
  CAPABILITIES,
  normaliseCapability,
  type AdapterCapabilities,
  type AdapterName,
  type Capability,
} from './capabilities.ts'
import { emulationOf, remediation, type Remediation } from './remediation.ts'
import { actionKind, type Plan } from '../plan/plan.ts'
import { didYouMean } from '../did-you-mean.ts'
import { CURRENT_SCHEMA_VERSION, judgeSchemaVersion } from '../plan/format/schema-version.ts'

export type CapabilityErrorCode =
  | 'CAPABILITY_NOT_SUPPORTED'
  | 'CAPABILITY_UNKNOWN'
  | 'PLUGIN_TRUST_TIER_MISSING'
  | 'INVALID_TARGET_ADAPTER'
  | 'SCHEMA_VERSION_UNKNOWN'
export type CapabilityWarningCode =
  | 'SCHEMA_VERSION_DEPRECATED'
  | 'CAPABILITY_EMULATED'
  | 'CAPABILITY_DEGRADED'
  | 'LATENCY_EXPECTED'
  | 'PERFORMANCE_IMPACT'

export interface CapabilityError {
  readonly code: CapabilityErrorCode
  /** What the plan asks for and does not get; where that is no capability, the adapter, schema version or function. */
  readonly capability: string
  readonly message: string
}
export interface CapabilityWarning {
  readonly code: CapabilityWarningCode
  readonly message: string
}
export interface CapabilityCheck {
  readonly capability: string
  readonly supported: boolean
  readonly adapterSupport?: 'native' | 'emulated' | 'degraded'
  readonly recommendation?: string
}

export interface ValidationReport {
  readonly planId: string
  readonly status: 'VALID' | 'WARNINGS' | 'ERRORS'
  readonly errors: readonly CapabilityError[]
  readonly warnings: readonly CapabilityWarning[]
  readonly planVersion: string
  readonly generatedAt: string
  readonly targetAdapter: AdapterName
  readonly adapterVersion: string
  readonly adapterCapabilities: readonly Capability[]
  readonly capabilityChecks: readonly CapabilityCheck[]
  readonly remediation?: Remediation
}

export interface CheckOptions {
  /** RFC 3339; the core has no clock. */
  readonly generatedAt: string
  readonly currentSchemaVersion?: string
  /** Functions that plugins provide, each with the trust tier that the deployment states for it, if any. */
  readonly pluginTiers?: Readonly<Record<string, 'trusted' | 'partner' | 'untrusted' | undefined>>
}

interface Findings {
  readonly errors: CapabilityError[]
  readonly warnings: CapabilityWarning[]
  readonly checks: CapabilityCheck[]
}

export function checkCapabilities(
  plan: Plan,
  adapter: AdapterName | AdapterCapabilities,
  options: CheckOptions,
): ValidationReport {
  const offered = typeof adapter === 'string' ? ADAPTERS[adapter] : adapter
  const found: Findings = { errors: [], warnings: [], checks: [] }
  checkSchemaVersion(plan, options.currentSchemaVersion ?? CURRENT_SCHEMA_VERSION, found)
  checkTarget(plan, offered, found)
  for (const name of plan.metadata.requiresCapabilities ?? []) checkCapability(name, plan, offered, found)
  checkPlugins(plan, options.pluginTiers ?? {}, found)
  checkPace(plan, offered, found)
  const { errors, warnings } = found
  return {
    planId: plan.metadata.planId,
    status: errors.length > 0 ? 'ERRORS' : warnings.length > 0 ? 'WARNINGS' : 'VALID',
    errors,
    warnings,
    planVersion: plan.metadata.planVersion,
    generatedAt: options.generatedAt,
    targetAdapter: offered.adapter,
    adapterVersion: offered.version,
    adapterCapabilities: offered.capabilities,
    capabilityChecks: found.checks,
    ...remediation(plan, offered, errors),
  }
}

/** Is the run marked as degraded? Only what the plan itself allowed marks it (CAP-05, CAP-15); errors stop the start. */
export function isDegraded({ status }: Pick<ValidationReport, 'status'>, { metadata }: Plan): boolean {
  return status === 'WARNINGS' && metadata.fallbackBehavior !== 'reject'
}

function checkSchemaVersion(plan: Plan, current: string, { errors, warnings }: Findings): void {
  const verdict = judgeSchemaVersion(plan.schemaVersion, current)
  if (verdict === 'unknown') {
    errors.push({
      code: 'SCHEMA_VERSION_UNKNOWN',
      capability: plan.schemaVersion,
      message: `schemaVersion ${plan.schemaVersion} is not read; the newest is ${current}`,
    })
  } else if (verdict === 'deprecated') {
    const message = `schemaVersion ${plan.schemaVersion} is the oldest one still read; the newest is ${current}`
    warnings.push({ code: 'SCHEMA_VERSION_DEPRECATED', message })
  }
}

function checkTarget(plan: Plan, { adapter }: AdapterCapabilities, { errors }: Findings): void {
  const { targetAdapter } = plan.metadata
  if (targetAdapter === 'any' || targetAdapter === adapter) return
  const message = `the plan is meant for ${targetAdapter}, not for ${adapter}`
  errors.push({ code: 'INVALID_TARGET_ADAPTER', capability: targetAdapter, message })
}

function checkCapability(name: string, plan: Plan, offered: AdapterCapabilities, found: Findings): void {
  const capability = normaliseCapability(name)
  if (capability === undefined) {
    const dotted = Object.values(CAPABILITIES)
    const { hint = `there are ${dotted.join(', ')}` } = didYouMean(name, [...Object.keys(CAPABILITIES), ...dotted])
    found.errors.push({
      code: 'CAPABILITY_UNKNOWN',
      capability: name,
      message: `there is no capability '${name}'; ${hint}`,
    })
    found.checks.push({ capability: name, supported: false })
    return
  }
  if (offered.capabilities.includes(capability)) {
    found.checks.push({ capability, supported: true, adapterSupport: 'native' })
  } else checkMissing(capability, plan.metadata.fallbackBehavior, offered, found)
}

function checkMissing(
  capability: Capability,
  behavior: Plan['metadata']['fallbackBehavior'] | undefined,
  offered: AdapterCapabilities,
  { errors, warnings, checks }: Findings,
): void {
  const emulation = emulationOf(capability, offered)
  if (behavior === 'emulate' && emulation !== undefined) {
    warnings.push({
      code: 'CAPABILITY_EMULATED',
      message: `${offered.adapter} lacks ${capability}; ${emulation} stands in for it`,
    })
    checks.push({ capability, supported: true, adapterSupport: 'emulated' })
  } else if (behavior === 'degrade') {
    warnings.push({
      code: 'CAPABILITY_DEGRADED',
      message: `${offered.adapter} lacks ${capability}; the run goes on without it`,
    })
    checks.push({ capability, supported: false, adapterSupport: 'degraded' })
  } else {
    errors.push({ code: 'CAPABILITY_NOT_SUPPORTED', capability, message: `${offered.adapter} lacks ${capability}` })
    const recommendation =
      emulation === undefined ? 'use another engine' : `set fallbackBehavior to emulate: ${emulation}`
    checks.push({ capability, supported: false, recommendation })
  }
}

function checkPlugins(plan: Plan, tiers: NonNullable<CheckOptions['pluginTiers']>, { errors }: Findings): void {
  // Every start runs this, and most deployments have no plugins.
  if (Object.keys(tiers).length === 0) return
  for (const step of plan.steps) {
    if (!('run' in step) || !Object.hasOwn(tiers, step.run) || tiers[step.run] !== undefined) continue
    const message = `step '${step.stepId}' runs '${step.run}' of a plugin whose trust tier is not stated`
    errors.push({ code: 'PLUGIN_TRUST_TIER_MISSING', capability: step.run, message })
  }
}

function checkPace(plan: Plan, { adapter, maxInFlight, polled }: AdapterCapabilities, { warnings }: Findings): void {
  const sleeps = (): boolean => plan.steps.some((step) => actionKind(step) === 'wait' || actionKind(step) === 'manual')
  if (polled && sleeps()) {
    warnings.push({
      code: 'LATENCY_EXPECTED',
      message: `${adapter} is polled: waking a step may take up to a second longer`,
    })
  }
  if (plan.policy.concurrency > maxInFlight) {
    const message = `${adapter} runs ${maxInFlight} steps of a run at once; the plan asks for ${plan.policy.concurrency}`
    warnings.push({ code: 'PERFORMANCE_IMPACT', message })
  }
}
