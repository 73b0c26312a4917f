/**
 * Values for random plans: conditions, lists, waits, inputs, captures and outputs over what earlier steps put out. Chances
 * of their own, so that the shapes of plans stay what they were.
 */
import type { PlanDoc, StepDoc } from './plan-maker.ts'
import { Rng } from './random.ts'

type Fields = Readonly<Record<string, unknown>>

export function withValues(plan: PlanDoc): PlanDoc {
  const rng = new Rng(`values ${plan.plan}`)
  const steps: StepDoc[] = []
  for (const step of plan.steps) {
    const dependsOn = step['dependsOn'] as readonly string[] | undefined
    const ancestors = steps.filter(({ id }) => dependsOn === undefined || dependsOn.includes(id))
    steps.push(withStepValues(rng, step, ancestors, dependsOn?.length ?? Math.min(1, steps.length)))
  }
  return { ...plan, steps, ...(rng.chance(0.5) ? { output: outputOf(rng, steps) } : {}) }
}

function withStepValues(rng: Rng, step: StepDoc, ancestors: readonly StepDoc[], predecessors: number): StepDoc {
  const source = ancestors.length > 0 ? rng.pick(ancestors) : undefined
  const of = source === undefined ? undefined : `steps.${source.id}.output`
  const isFan = source !== undefined && 'forEach' in source
  const condition = of !== undefined && rng.chance(0.15) ? { if: conditionOn(rng, of, isFan) } : {}
  const list = of !== undefined && rng.chance(0.25) ? { forEach: listOf(rng, of, isFan) } : {}
  const wait =
    of !== undefined && step['wait'] !== undefined && rng.chance(0.5) ? { wait: { forMs: numberOf(of, isFan) } } : {}
  const capture = step['run'] !== undefined && rng.chance(0.15) ? { capture: capturesOf(rng) } : {}
  const next: StepDoc = { ...step, ...condition, ...list, ...wait, ...capture }
  if (step['wait'] !== undefined) return next
  const given = { ...(step['with'] as Fields), ...inputOf(rng, of, isFan, 'forEach' in next, predecessors) }
  return { ...next, with: given }
}

function conditionOn(rng: Rng, of: string, isFan: boolean): string {
  return isFan
    ? rng.pick([`length(${of} || \`[]\`) > \`1\``, `${of}[0].n > \`3\``, `length(${of}[].n) == \`3\``])
    : rng.pick([`${of}.n > \`3\``, `${of}.n == \`5\``, `${of}.list`, `length(${of}.list || \`[]\`) < \`2\``])
}

/** Not every one of them is a list at all times: what was skipped or failed put out null. */
function listOf(rng: Rng, of: string, isFan: boolean): string {
  if (isFan) return rng.pick([`${of} || \`[]\``, `${of}[].n || \`[]\``, of])
  return rng.pick([`${of}.list || \`[]\``, `${of}.list || \`[7]\``, `${of}.list`])
}

function numberOf(of: string, isFan: boolean): string {
  return `\${${isFan ? `${of}[0].n` : `${of}.n`} || \`3\`}`
}

function inputOf(rng: Rng, of: string | undefined, isFan: boolean, isItem: boolean, predecessors: number): Fields {
  const all: Fields = {
    ...(of === undefined ? {} : { got: `\${${of}}`, many: `\${length(${of} || \`[]\`)}` }),
    ...(of !== undefined && isFan ? { all: `\${${of}[].n}`, last: `\${${of}[-1]}` } : {}),
    ...(of !== undefined && !isFan ? { n1: `\${${of}.n}`, first: `\${${of}.list[0]}` } : {}),
    ...(isItem ? { it: '${item}', at: '${index}', itn: '${item.n}' } : {}),
    ...(predecessors === 1 ? { prev: '${previous}' } : {}),
    numbers: '${context.numbers}',
    newest: '${context.newest.n}',
    id: '${run.id}',
  }
  return Object.fromEntries(Object.entries(all).filter(() => rng.chance(0.3)))
}

function capturesOf(rng: Rng): readonly Fields[] {
  return rng.pick<readonly Fields[]>([
    [{ destination: 'numbers', merge: 'append', transform: 'n' }],
    [{ destination: 'newest', merge: 'replace' }],
    [
      { destination: 'numbers', merge: 'append', transform: 'n' },
      { destination: 'newest', merge: 'replace' },
    ],
  ])
}

function outputOf(rng: Rng, steps: readonly StepDoc[]): Fields {
  const fields = steps
    .filter(() => rng.chance(0.5))
    .map((step) => {
      const of = `steps.${step.id}.output`
      const one = rng.pick([of, `length(${of} || \`[]\`)`, 'forEach' in step ? `${of}[].n` : `${of}.n`])
      return [step.id, `\${${one}}`]
    })
  return { ...Object.fromEntries(fields), n: '${input.n}', numbers: '${context.numbers}', fixed: 7 }
}
