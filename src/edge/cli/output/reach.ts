/** What plans can reach, for a person who has not run them yet: one line for each kind, with risky ones marked. */
import { greatest } from '../../../core/collections/extremes.ts'
import type { CompiledPlan } from '../../../app/plans/compile.ts'
import { planReach, type PlanReach, type Touched, type TouchedPlan } from '../../../app/plans/reach.ts'
import { notMeant } from '../../../core/plan/compile/child-plans.ts'
import type { Paint } from '../terminal/paint.ts'
import { plural } from '../terminal/format.ts'

/** A file that has the name of a child plan and is another one. */
export interface UnusedFile {
  readonly file: string
  /** As the step names it. */
  readonly plan: string
  /** What the step pins. */
  readonly sha256?: string
  readonly why: string
}

/** A plan and the plans it starts, as far as they are available. */
export interface Reaching {
  readonly plans: readonly Pick<CompiledPlan, 'plan' | 'sha256'>[]
  /** The file that functions would be loaded from. */
  readonly steps?: string | undefined
  /** Beside the plan, and not what its steps mean. */
  readonly unused?: readonly UnusedFile[]
}

interface Row {
  readonly kind: string
  readonly name: string
  readonly steps: readonly string[]
  /** Why it is riskier than it looks. */
  readonly note?: string
  readonly aside?: string
}

const STEPS_TOLD = 3
const NAME_CHARS = 40

/** Lines to be shown one by one; the first is a heading. */
export function reachLines({ plans, steps, unused = [] }: Reaching, { bold, dim, yellow }: Paint): readonly string[] {
  const rows = rowsOf(merged(plans.map(({ plan }) => planReach(plan))), plans, unused, steps)
  if (rows.length === 0) return [`${bold('It touches nothing')} outside its own run.`]
  const kinds = greatest(rows.map(({ kind }) => kind.length))
  const names = Math.min(NAME_CHARS, greatest(rows.map(({ name }) => name.length)))
  let last = ''
  return [
    bold('What it can touch'),
    ...rows.map(({ kind, name, steps: by, note, aside }) => {
      const shown = kind === last ? '' : kind
      last = kind
      const more = [`step ${stepsText(by)}`, ...(aside === undefined ? [] : [aside])].join(', ')
      const warning = note === undefined ? '' : `   ${yellow(`! ${note}`)}`
      return `  ${shown.padEnd(kinds)}   ${bold(name.padEnd(names))}   ${dim(more)}${warning}`
    }),
  ]
}

function rowsOf(
  reach: PlanReach,
  plans: Reaching['plans'],
  unused: readonly UnusedFile[],
  file: string | undefined,
): readonly Row[] {
  const rows = (kind: string, list: readonly Touched[]): readonly Row[] =>
    list.map(({ name, any, steps }) =>
      any === true ? { kind, name: 'any of them', steps, note: 'an expression says which' } : { kind, name, steps },
    )
  const of = (kind: string, name: string, steps: readonly string[], note?: string): readonly Row[] =>
    steps.length === 0 ? [] : [{ kind, name, steps, ...(note === undefined ? {} : { note }) }]
  return [
    ...rows('hosts', reach.hosts),
    ...rows('programs', reach.programs).map((row, at) =>
      reach.programs[at]?.startsOthers === true ? { ...row, note: 'it can start any other program' } : row,
    ),
    ...rows('variables', reach.variables),
    ...rows('secrets', reach.secrets),
    ...reach.plans.map((touched) => {
      const { name, steps, sha256 } = touched
      const aside = sha256 === undefined ? 'not pinned' : `pinned to ${sha256.slice(0, 12)}…`
      const other = unused.find((one) => one.plan === name && one.sha256 === sha256)
      const missing = other === undefined ? 'not here, so not in this list' : `not in this list: ${otherText(other)}`
      return { kind: 'plans', name, steps, aside, ...(isHere(touched, plans) ? {} : { note: missing }) }
    }),
    ...rows('functions', reach.functions).map((row) => ({ ...row, aside: file ?? 'there is no steps file' })),
    ...of('for good', 'cannot be undone', reach.irreversible),
    ...of('people', 'are asked', reach.people),
    ...(reach.functions.length === 0 ? [] : of('code', 'can do anything', stepsOf(reach.functions), 'read it first')),
  ]
}

function isHere({ name, sha256 }: TouchedPlan, plans: Reaching['plans']): boolean {
  const [planId = '', planVersion] = name.split('@')
  const ref = {
    planId,
    ...(planVersion === undefined ? {} : { planVersion }),
    ...(sha256 === undefined ? {} : { sha256 }),
  }
  return plans.some((one) => notMeant(ref, one) === undefined)
}

const otherText = ({ file, why }: UnusedFile): string => `${file} is another plan, ${why}`

export function unusedText(unused: UnusedFile): string {
  return `${unused.plan} is not taken from its file: ${otherText(unused)}`
}

const stepsOf = (list: readonly Touched[]): readonly string[] => [...new Set(list.flatMap(({ steps }) => steps))]

function stepsText(steps: readonly string[]): string {
  const more = steps.length - STEPS_TOLD
  return more > 0 ? `${steps.slice(0, STEPS_TOLD).join(', ')} and ${plural(more, 'more step')}` : steps.join(', ')
}

/** The same as JSON, complete. */
export function reachJson({ plans, steps }: Reaching): object {
  const reach = merged(plans.map(({ plan }) => planReach(plan)))
  return { ...reach, ...(reach.functions.length === 0 || steps === undefined ? {} : { stepsFile: steps }) }
}

function merged(reaches: readonly PlanReach[]): PlanReach {
  const all = <T extends Touched>(list: (reach: PlanReach) => readonly T[]): readonly T[] => {
    const found = new Map<string, T>()
    for (const one of reaches.flatMap(list)) {
      // The same name with two hashes means two plans.
      const key = JSON.stringify({ ...one, steps: [] })
      const before = found.get(key)
      const steps = new Set([...(before?.steps ?? []), ...one.steps])
      found.set(key, { ...one, steps: [...steps] })
    }
    return [...found.values()]
  }
  return {
    hosts: all(({ hosts }) => hosts),
    programs: all(({ programs }) => programs),
    variables: all(({ variables }) => variables),
    secrets: all(({ secrets }) => secrets),
    plans: all(({ plans }) => plans),
    functions: all(({ functions }) => functions),
    irreversible: [...new Set(reaches.flatMap(({ irreversible }) => irreversible))],
    people: [...new Set(reaches.flatMap(({ people }) => people))],
  }
}
