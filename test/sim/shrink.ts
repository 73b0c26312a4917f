/**
 * Cuts a failing history down: first faults, then what people do, then steps and runs, always keeping what still fails
 * in the same way. What is left is printed with the seed, so that a person looks at five events and not at five hundred.
 */
import type { FiredFault } from './faults.ts'
import { runHistory, type HistoryOptions } from './history.ts'
import type { PlanDoc, StepDoc } from './plan-maker.ts'
import type { Scenario } from './scenario.ts'

export interface Shrunk {
  readonly scenario: Scenario
  readonly faults: readonly FiredFault[]
  readonly violations: readonly string[]
  /** Histories run to get here. */
  readonly tries: number
}

/** The kind of a violation: its words without the numbers and names of one history. */
export function kindOf(violation: string): string {
  const words = violation
    .replace(/^\+\d+ms /, '')
    .replace(/^[0-9a-f]{8} /, '')
    .replace(/#\d+ /, '')
  return (/(?:I|P|X|CMP|SIG|RTY|CAN|RTO|MAN|RSM|RES|SCH)-?\d+[^:(]*/.exec(words)?.[0] ?? words)
    .replace(/\d+/g, 'n')
    .slice(0, 60)
}

const TRIES_MAX = 400

export async function shrink(
  scenario: Scenario,
  fired: readonly FiredFault[],
  first: string,
  options: HistoryOptions = {},
): Promise<Shrunk> {
  const kind = kindOf(first)
  let tries = 0
  let best: Shrunk = { scenario, faults: fired, violations: [first], tries }
  const attempt = async (candidate: Scenario, faults: readonly FiredFault[]): Promise<boolean> => {
    if (tries >= TRIES_MAX) return false
    tries += 1
    try {
      const { violations } = await runHistory(candidate, { ...options, faults })
      if (violations[0] === undefined || kindOf(violations[0]) !== kind) return false
      best = { scenario: candidate, faults, violations, tries }
      return true
    } catch {
      // A candidate that makes no sense (a plan that does not compile) is no candidate.
      return false
    }
  }
  if (!(await attempt(scenario, fired))) return best
  await dropEach(
    () => best.faults,
    (faults) => attempt(best.scenario, faults),
  )
  if (best.scenario.feed) await attempt({ ...best.scenario, feed: false }, best.faults)
  if (best.scenario.helping > 0) await attempt({ ...best.scenario, helping: 0 }, best.faults)
  await dropEach(
    () => best.scenario.acts,
    (acts) => attempt({ ...best.scenario, acts }, best.faults),
  )
  await dropEach(
    () => best.scenario.runs,
    (runs) => runs.length > 0 && attempt({ ...best.scenario, runs }, best.faults),
  )
  await dropEach(
    () => best.scenario.processes,
    (processes) => processes.length > 0 && attempt({ ...best.scenario, processes }, best.faults),
  )
  await dropEach(
    () => best.scenario.plans[0]?.steps ?? [],
    (steps) =>
      steps.length > 0 &&
      attempt(
        {
          ...best.scenario,
          plans: [withSteps(best.scenario.plans[0] as PlanDoc, steps), ...best.scenario.plans.slice(1)],
        },
        best.faults,
      ),
  )
  return { ...best, tries }
}

/** Drops halves, quarters … single members while what is left still fails. */
async function dropEach<T>(
  list: () => readonly T[],
  works: (rest: readonly T[]) => Promise<boolean> | boolean,
): Promise<void> {
  for (let size = Math.ceil(list().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < list().length;) {
      const rest = [...list().slice(0, at), ...list().slice(at + size)]
      if (!(await works(rest))) at += size
    }
  }
}

/** The plan with these steps only; nobody depends on or speaks of one that is gone. */
function withSteps(plan: PlanDoc, steps: readonly StepDoc[]): PlanDoc {
  const ids = new Set(steps.map((step) => step.id))
  const kept = steps.map((step) => {
    const dependsOn = step['dependsOn'] as readonly string[] | undefined
    const mapping = Object.entries((step['with'] ?? {}) as Record<string, unknown>).filter(([, value]) => {
      const named = /steps\.(\w+)\./.exec(String(value))?.[1]
      return named === undefined || ids.has(named)
    })
    const { forEach, if: condition, wait, ...rest } = step
    const stays = (text: unknown): boolean => {
      const named = /steps\.(\w+)\./.exec(JSON.stringify(text ?? null))?.[1]
      return named === undefined || ids.has(named)
    }
    return {
      ...rest,
      ...(condition !== undefined && stays(condition) ? { if: condition } : {}),
      ...(forEach === undefined ? {} : { forEach: stays(forEach) ? forEach : 'input.list3' }),
      ...(wait === undefined ? {} : { wait: stays(wait) ? wait : { forMs: 0 } }),
      ...(dependsOn === undefined ? {} : { dependsOn: dependsOn.filter((id) => ids.has(id)) }),
      ...(step['with'] === undefined ? {} : { with: Object.fromEntries(mapping) }),
    }
  })
  const { output: _output, ...rest } = plan
  return { ...rest, steps: kept }
}
