/**
 * What a plan can touch, read from the plan alone: hosts, programs, variables, secrets, other plans, functions, people, and what
 * cannot be undone. A name that an expression makes may be any name: only the act itself shows which one.
 */
import { isBlock } from '../../core/plan/compile/child-plans.ts'
import type { Action, Compensation, Fallback, Plan, PlanReference, Step } from '../../core/plan/plan.ts'

/** One thing, and the steps that touch it. */
export interface Touched {
  readonly name: string
  /** An expression gives the name, so it may be any. */
  readonly any?: true
  readonly steps: readonly string[]
}

export interface TouchedProgram extends Touched {
  /** It starts whatever its arguments say. */
  readonly startsOthers?: true
}

export interface TouchedPlan extends Touched {
  /** Without a hash, whatever is published under the name is what runs. */
  readonly sha256?: string
}

export interface PlanReach {
  readonly hosts: readonly Touched[]
  readonly programs: readonly TouchedProgram[]
  /** Environment variables that the plan sets for its programs. */
  readonly variables: readonly Touched[]
  readonly secrets: readonly Touched[]
  readonly plans: readonly TouchedPlan[]
  readonly functions: readonly Touched[]
  readonly irreversible: readonly string[]
  readonly people: readonly string[]
}

type AnyAction = Action | Compensation | Fallback

export function planReach(plan: Plan): PlanReach {
  const { steps } = plan
  const hosts = new Touches()
  const programs = new Touches()
  const variables = new Touches()
  const secrets = new Touches()
  const plans = new Touches()
  const named = new Map<string, Omit<TouchedPlan, 'steps'>>()
  const functions = new Touches()
  for (const step of steps) {
    for (const action of actionsOf(step)) {
      if ('run' in action) functions.add(action.run, step)
      if ('http' in action) hosts.add(hostOf(action.http.url), step)
      if ('command' in action) {
        const { argv, cwd, env = {} } = action.command
        programs.add(literal(programOf(argv[0] ?? '', cwd)), step)
        // A step's secrets are variables of its program.
        for (const name of [...Object.keys(env), ...Object.keys(step.secrets ?? {})]) variables.add(name, step)
      }
      // A block belongs to its plan: who allows the plan allows its blocks, and what a block touches is judged like the rest.
      if ('plan' in action && !isBlock(action.plan, plan, step.stepId)) {
        const { sha256 } = action.plan
        const name = planName(action.plan)
        // The same name with two hashes means two plans.
        const key = `${name} ${sha256 ?? ''}`
        named.set(key, { name, ...(sha256 === undefined ? {} : { sha256 }) })
        plans.add(key, step)
      }
    }
    for (const ref of Object.values(step.secrets ?? {})) secrets.add(secretName(ref), step)
  }
  return {
    hosts: hosts.list(),
    programs: programs.list().map((one) => (startsOthers(one.name) ? { ...one, startsOthers: true } : one)),
    variables: variables.list(),
    secrets: secrets.list(),
    plans: plans.list().map((one) => ({ ...one, ...named.get(one.name) })),
    functions: functions.list(),
    irreversible: steps.filter(({ effect }) => effect === 'irreversible').map(({ stepId }) => stepId),
    people: steps.filter((step) => 'manual' in step).map(({ stepId }) => stepId),
  }
}

class Touches {
  readonly #steps = new Map<string | undefined, Set<string>>()

  /** Undefined: any name. */
  add(name: string | undefined, { stepId }: Step): void {
    const found = this.#steps.get(name) ?? new Set<string>()
    this.#steps.set(name, found.add(stepId))
  }

  list(): readonly Touched[] {
    return [...this.#steps].map(([name, steps]) =>
      name === undefined ? { name: '*', any: true, steps: [...steps] } : { name, steps: [...steps] },
    )
  }
}

function actionsOf(step: Step): readonly AnyAction[] {
  return [step, step.compensate ?? [], step.fallback ?? []].flat()
}

const literal = (text: string): string | undefined => (text.includes('${') ? undefined : text)

/** Samples of what can follow a part of a URL: if none of them changes the host, the host is known. */
const CONTINUATIONS = ['', 'x', '.x', '-x', '1', ':1', '@x', '/x', '?x', '\\x']

/** The host, with its port where it is not the scheme's own; undefined when an expression may change it. */
function hostOf(url: string): string | undefined {
  const [fixed = ''] = url.split('${')
  const endings = fixed === url ? [''] : CONTINUATIONS
  const hosts = new Set(endings.map((ending) => URL.parse(fixed + ending)?.host))
  const [host] = hosts
  return hosts.size === 1 && host !== undefined && host !== '' ? host : undefined
}

/** The same relative path means another program in another folder. */
export function programOf(program: string, cwd: string | undefined): string {
  if (cwd === undefined || !/[\\/]/.test(program) || /^(?:[\\/]|[A-Za-z]:)/.test(program)) return program
  const path = joined(`${cwd}/${program}`)
  // Without a slash it would be looked for in PATH.
  return path.includes('/') ? path : `./${path}`
}

/** One spelling for one file, as far as its text tells. */
function joined(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else parts.push(part)
  }
  return `${path.startsWith('/') ? '/' : ''}${parts.join('/')}`
}

export function planName({ planId, planVersion }: PlanReference): string {
  return planVersion === undefined ? planId : `${planId}@${planVersion}`
}

/** The reference without its scheme, as flags and lists name it. */
export function secretName(ref: string): string {
  return ref.replace(/^secret:\/\//, '')
}

/** Shells, interpreters and launchers: to allow one is to allow anything. */
const LAUNCHERS =
  /^(?:(?:ba|da|k|z|c|tc|fi)?sh|cmd|powershell|pwsh|busybox|env|xargs|find|sudo|doas|su|nohup|setsid|timeout|nice|ssh|docker|podman|make|node|deno|bun|npm|npx|yarn|pnpm|tsx|python[\d.]*|perl|ruby|php|lua|awk|gawk|osascript|java)(?:\.exe|\.cmd)?$/i

function startsOthers(program: string): boolean {
  return LAUNCHERS.test(program.split(/[\\/]/).at(-1) ?? '')
}
