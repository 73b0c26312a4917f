/** What would let a refused plan start: the shape that readers of a validation report know (CAP-03). It suggests only what helps. */
import {
  ADAPTERS,
  EMULATIONS,
  normaliseCapability,
  type AdapterCapabilities,
  type AdapterName,
  type Capability,
} from './capabilities.ts'
import type { Plan } from '../plan/plan.ts'

/** A change that would let the plan start, where one is known. */
export interface Remediation {
  readonly suggestedFallbackBehavior?: 'emulate' | 'degrade'
  /** Those of the plan's required capabilities that the adapter has, as the plan writes them. */
  readonly suggestedCapabilities?: readonly string[]
  readonly suggestedTargetAdapter?: AdapterName
}

interface Lacking {
  readonly code: string
  readonly capability: string
}

/** Adapters that a run can be moved to: one that exists, and in earnest. */
const SUGGESTED: readonly AdapterName[] = ['embedded', 'temporal']

export function remediation(
  plan: Plan,
  offered: AdapterCapabilities,
  errors: readonly Lacking[],
): { readonly remediation?: Remediation } {
  if (errors.length === 0) return {}
  const required = plan.metadata.requiresCapabilities ?? []
  const isLacking = errors.every(({ code }) => code === 'CAPABILITY_NOT_SUPPORTED')
  const other = SUGGESTED.find((name) => name !== offered.adapter && suits(plan, ADAPTERS[name]))
  const found: Remediation = {
    ...(isLacking ? { suggestedFallbackBehavior: fallbackFor(plan, offered, errors) } : {}),
    ...(required.length === 0 ? {} : { suggestedCapabilities: required.filter((name) => has(offered, name)) }),
    ...(other === undefined ? {} : { suggestedTargetAdapter: other }),
  }
  return Object.keys(found).length === 0 ? {} : { remediation: found }
}

/** The mildest one under which all that is lacking is only a warning. */
function fallbackFor(
  { metadata }: Plan,
  offered: AdapterCapabilities,
  errors: readonly Lacking[],
): 'emulate' | 'degrade' {
  const isKnown = errors.every(({ capability }) => emulationOf(capability as Capability, offered) !== undefined)
  return isKnown && metadata.fallbackBehavior !== 'emulate' ? 'emulate' : 'degrade'
}

function suits({ metadata }: Plan, offered: AdapterCapabilities): boolean {
  const isTarget = metadata.targetAdapter === 'any' || metadata.targetAdapter === offered.adapter
  return isTarget && (metadata.requiresCapabilities ?? []).every((name) => has(offered, name))
}

function has({ capabilities }: AdapterCapabilities, name: string): boolean {
  const capability = normaliseCapability(name)
  return capability !== undefined && capabilities.includes(capability)
}

export function emulationOf(
  capability: Capability,
  { capabilities }: AdapterCapabilities,
): Capability | 'restart' | undefined {
  const instead = EMULATIONS[capability]
  return instead === 'restart' || (instead !== undefined && capabilities.includes(instead)) ? instead : undefined
}
