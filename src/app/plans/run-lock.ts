/**
 * A locked run: it touches what its lock names, and nothing else. Judged twice: before it starts, over all that its plan says;
 * and at each act, over what the expressions made of it. The lock is in the run's first event, so no process can forget it.
 */
import { egressPolicy, judgeTarget } from '../../core/egress/policy.ts'
import { LIMITS } from '../../core/limits.ts'
import type { Action, Compensation, Fallback, Plan, PlanReference, Step } from '../../core/plan/plan.ts'
import { fail } from '../../core/problems/problem.ts'
import type { RunLock } from '../../core/run/state/state.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { canonicalText } from '../log/canonical.ts'
import { mustFitJson } from '../log/fitting.ts'
import { planName, planReach, programOf, secretName, type Touched } from './reach.ts'
import { recordOf } from '../log/read-events.ts'

interface Missing {
  readonly what: string
  /** What would allow it, as the command line says it. */
  readonly flag: string
}

/** Throws RUN_LOCKED with everything that these plans need and the lock does not allow. */
export function refuseReach(plans: readonly Plan[], lock: RunLock): void {
  const missing = plans.flatMap((plan) => missingIn(plan, lock))
  if (missing.length === 0) return
  const whats = [...new Set(missing.map(({ what }) => what))]
  const flags = [...new Set(missing.map(({ flag }) => flag))]
  fail('RUN_LOCKED', `the plan needs what is not allowed: ${whats.join(', ')}`, {
    hint: `to allow all of it: ${flags.join(' ')}`,
    details: { missing: whats, flags },
  })
}

function missingIn(plan: Plan, lock: RunLock): readonly Missing[] {
  const reach = planReach(plan)
  const needs = (
    list: readonly Touched[],
    kind: string,
    flag: string,
    isAllowed: (name: string) => boolean,
    some: readonly string[],
  ): readonly Missing[] =>
    list.flatMap(({ name, any, steps }) => {
      const of = `of step ${steps.join(', ')}`
      // Only the act shows which name it is; if no name is allowed, this one is not either.
      if (any === true) return some.length > 0 ? [] : [{ what: `the ${kind} ${of}`, flag: `${flag}=…` }]
      return isAllowed(name) ? [] : [{ what: `the ${kind} ${name} ${of}`, flag: `${flag}=${name}` }]
    })
  const listed = (names: readonly string[]) => (name: string) => names.includes(name)
  const [code] = reach.functions
  return [
    ...needs(reach.hosts, 'host', '--allow-host', (name) => isHostAllowed(name, lock), lock.hosts),
    ...needs(reach.programs, 'program', '--allow-program', listed(lock.programs), lock.programs),
    ...needs(reach.variables, 'variable', '--allow-env', listed(lock.variables), lock.variables),
    ...needs(reach.secrets, 'secret', '--allow-secret', listed(lock.secrets), lock.secrets),
    ...needs(reach.plans, 'plan', '--allow-plan', (name) => isPlanAllowed(name, lock), lock.plans),
    ...(code === undefined || lock.code ? [] : [{ what: `code (${code.name})`, flag: '--allow-code' }]),
    ...(reach.irreversible.length === 0 || lock.irreversible
      ? []
      : [{ what: `what cannot be undone (${reach.irreversible.join(', ')})`, flag: '--allow-irreversible' }]),
  ]
}

/** By name only: the egress door judges the addresses behind the name. */
function isHostAllowed(host: string, { hosts }: RunLock): boolean {
  const policy = egressPolicy(hosts, true)
  const url = URL.parse(`http://${host}`)
  if (!policy.ok || url === null) return false
  // The scheme decides the port where the plan names none: an entry with a port is compared with it when the request is made.
  const ports = url.port === '' ? [80, 443] : [Number(url.port)]
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return ports.some((port) => judgeTarget(policy.value, { scheme: 'http', host: name, port }) === undefined)
}

/** An entry without a version is for all of them. */
function isPlanAllowed(name: string, { plans }: RunLock): boolean {
  return plans.includes(name) || plans.includes(name.split('@')[0] ?? name)
}

export function refusePlan(plan: PlanReference, lock: RunLock): void {
  const name = planName(plan)
  if (!isPlanAllowed(name, lock)) refused(`the plan ${name}`, `--allow-plan=${name}`)
}

/** With every `${…}` replaced: what is about to happen. The egress door itself judges where a request goes, at every redirect. */
export function refuseAct(
  action: Action | Compensation | Fallback,
  { secrets = {}, effect, stepId }: Pick<Step, 'secrets' | 'effect' | 'stepId'>,
  lock: RunLock,
): void {
  if (effect === 'irreversible' && !lock.irreversible) refused(`step ${stepId}`, '--allow-irreversible')
  for (const ref of Object.values(secrets))
    if (!lock.secrets.includes(secretName(ref)))
      refused(`the secret ${secretName(ref)}`, `--allow-secret=${secretName(ref)}`)
  if ('run' in action && !lock.code) refused(`code (${action.run})`, '--allow-code')
  if (!('command' in action)) return
  const { argv, cwd, env = {} } = action.command
  const program = programOf(String(argv[0]), cwd === undefined ? undefined : String(cwd))
  if (!lock.programs.includes(program)) refused(`the program ${program}`, `--allow-program=${program}`)
  for (const name of [...Object.keys(env), ...Object.keys(secrets)])
    if (!lock.variables.includes(name)) refused(`the variable ${name}`, `--allow-env=${name}`)
}

function refused(what: string, flag: string): never {
  return fail('RUN_LOCKED', `the run is locked, and ${what} is not allowed`, { hint: `to allow it: ${flag}` })
}

/** What a lock allows; everything else is forbidden. */
export type Allowed = Partial<RunLock>

const KINDS = ['hosts', 'programs', 'variables', 'secrets', 'plans'] as const

/** Each name once and in order, so that the same lock is the same text. */
export function lockFrom(allowed: Allowed): RunLock {
  const names = (kind: (typeof KINDS)[number]): readonly string[] => {
    const given = (allowed[kind] ?? []).map((name) => (kind === 'secrets' ? secretName(name) : name))
    if (given.length > LIMITS.lockNames)
      fail('USAGE', `a lock allows ${LIMITS.lockNames} ${kind} at most, not ${given.length}`)
    // It looks like a permission for everything, but would match no name.
    if (kind !== 'hosts' && given.some((name) => name.includes('*')))
      fail('USAGE', `'*' is not a name: a lock lists the ${kind} that it allows one by one`)
    const long = given.find((name) => name.length > LIMITS.lockNameChars)
    if (long !== undefined)
      fail(
        'VALUE_TOO_LARGE',
        `one of ${kind} has ${long.length} characters; at most ${LIMITS.lockNameChars} are allowed`,
      )
    return [...new Set(given)].toSorted()
  }
  const [hosts, programs, variables, secrets, plans] = KINDS.map(names) as [
    RunLock['hosts'],
    RunLock['programs'],
    RunLock['variables'],
    RunLock['secrets'],
    RunLock['plans'],
  ]
  const policy = egressPolicy(hosts, true)
  if (!policy.ok) fail('EGRESS_ALLOW_INVALID', policy.problems[0].message)
  const { code = false, irreversible = false } = allowed
  const lock = { hosts, programs, variables, secrets, plans, code, irreversible }
  mustFitJson('what the lock allows', lock, LIMITS.lockBytes)
  return lock
}

const FIRST_EVENTS = 3

/** The lock of a run as its log says; undefined when it has none. */
export async function lockOfRun(store: RunStore, { runKey }: RunRow): Promise<RunLock | undefined> {
  for (const stored of await store.readEvents(runKey, { limit: FIRST_EVENTS })) {
    const record = recordOf(stored)
    const lock = record.ok ? record.value.payload?.['locked'] : undefined
    if (lock !== undefined) return lock as RunLock
  }
  return undefined
}

/** A repeated request finds its run only under the same lock, so that nobody takes a run without a lock for a locked one. */
export async function checkSameLock(store: RunStore, row: RunRow, asked: RunLock | undefined): Promise<void> {
  // A child gets its lock from its parent.
  if (row.archivedAt !== undefined || row.parent !== undefined) return
  const first = await lockOfRun(store, row)
  if (canonicalText(first ?? null) === canonicalText(asked ?? null)) return
  const how = first === undefined ? 'without a lock' : asked === undefined ? 'with a lock' : 'with another lock'
  fail('RUN_LOCKED', `run ${row.runId} was started before, ${how}`)
}
