/**
 * Compiles a list of steps: of a plan, or of the block under a `forEach`. A block becomes a plan that nobody has to
 * write or name, and its step starts that plan for each item, with everything its expressions name handed in.
 */
import { LIMITS } from '../../limits.ts'
import { isList, isObject } from '../format/kind.ts'
import { json } from '../format/kinds.ts'
import type { Json, Mapping, Plan, PlanMetadata, PlanPolicy, Step } from '../plan.ts'
import { PLAN_LIMITS } from '../plan-limits.ts'
import { child, PLAN_CODES, refuse, type Block, type Place, type Reading } from '../read/reading.ts'
import type { Outline } from '../read/outline.ts'
import { checkGraph, outlineSteps } from './check-graph.ts'
import { compileStep, type BlockAction } from './compile-step.ts'

/** What a list of steps stands in. */
export interface Around {
  readonly planId: string
  readonly planVersion: string
  readonly schemaVersion: string
  readonly context: Plan['context']
  readonly engine: Pick<PlanMetadata, 'fallbackBehavior' | 'targetAdapter'>
  readonly policy: PlanPolicy
  /** Steps around the block whose outputs it is given. */
  readonly handedIn: ReadonlySet<string>
}

type Given = { readonly [name: string]: Json }

export function compileSteps(
  value: Json | undefined,
  place: Place,
  outline: Outline,
  reading: Reading,
  around: Around,
): readonly Step[] | undefined {
  if (!isList(value)) return undefined
  if (value.length === 0 || value.length > LIMITS.planSteps) {
    refuse(reading, reading.codes.invalid, place, `a plan has from 1 to ${LIMITS.planSteps} steps, not ${value.length}`)
    return undefined
  }
  const steps = value.map((step, index) => {
    const at = child(place, index)
    const block = isObject(step) && hasBlock(step) ? compileBlock(step, at, outline, reading, around) : undefined
    return compileStep(step, at, reading, {
      policy: around.policy,
      position: index + 1,
      isGraph: outline.isGraph,
      ...(block === undefined ? {} : { block }),
    })
  })
  return steps.every((step) => step !== undefined) ? steps : undefined
}

function hasBlock({ forEach }: Given): boolean {
  return isObject(forEach) && forEach.steps !== undefined
}

function compileBlock(step: Given, place: Place, outer: Outline, reading: Reading, around: Around): BlockAction {
  const at = child(place, 'forEach')
  const given = step.forEach as Given
  const stepId = String(step.stepId ?? step.id ?? '')
  const outline = outlineSteps(isList(given.steps) ? given.steps : [], child(at, 'steps'))
  const words = wordsOf([given.steps ?? null, given.output ?? null])
  const handedIn = [...words.steps.keys()].filter(
    (id) => !outline.indexOf.has(id) && id !== stepId && (outer.indexOf.has(id) || around.handedIn.has(id)),
  )
  const inner = { ...around, planId: blockId(around.planId, stepId, at, reading), handedIn: new Set(handedIn) }
  const blocks: Block[] = []
  const own: Reading = { ...reading, sites: [], codes: PLAN_CODES, blocks }
  const steps = compileSteps(given.steps, child(at, 'steps'), outline, own, inner)
  checkGraph(outline, own)
  const output = given.output === undefined ? undefined : json.read(given.output, child(at, 'output'), own)
  const plan = steps === undefined ? undefined : planOf(inner, steps, output)
  reading.blocks?.push({
    stepId,
    ...(plan === undefined ? {} : { plan }),
    outline,
    sites: own.sites,
    blocks,
    place: at,
  })
  return {
    plan: { planId: inner.planId, planVersion: around.planVersion },
    with: handed(handedIn, words),
    undoes: steps?.some(({ effect }) => effect === 'compensatable') ?? false,
  }
}

/** Derived, so that nobody has to think of one: `order.pack` for the step `pack` of `order`. */
function blockId(planId: string, stepId: string, place: Place, reading: Reading): string {
  const name = `${planId}.${stepId}`
  if (name.length > PLAN_LIMITS.idChars)
    refuse(
      reading,
      reading.codes.invalid,
      child(place, 'steps'),
      `the block would be called '${name.slice(0, 40)}…', of ${name.length} characters; at most ${PLAN_LIMITS.idChars} are allowed`,
      { hint: 'give the plan or the step a shorter id' },
    )
  return name
}

function planOf(around: Around, steps: readonly Step[], output: Json | undefined): Plan {
  const { planId, planVersion, schemaVersion, context, engine, policy, handedIn } = around
  // The time of the whole run is its parent's affair.
  const { runTimeoutMs: _whole, ...ownPolicy } = policy
  return {
    schemaVersion,
    metadata: { ...engine, planId, planVersion },
    forItem: { steps: [...handedIn].sort() },
    context,
    policy: ownPolicy,
    ...(output === undefined ? {} : { output }),
    steps,
  }
}

/** The input of the block: what its expressions may name. */
function handed(steps: readonly string[], words: Words): Mapping {
  const quoted = (id: string): string => (/^[A-Za-z_]\w*$/.test(id) ? id : JSON.stringify(id))
  const outputs = [...words.steps.keys()]
    .filter((id) => steps.includes(id))
    .sort()
    .map((id) => {
      const path = `steps.${quoted(id)}`
      const end = { status: `\${${path}.status}`, error: `\${${path}.error}` }
      return [id, { output: `\${${path}.output}`, ...(words.steps.get(id) === true ? end : {}) }] as const
    })
  return {
    item: '${item}',
    index: '${index}',
    ...(words.names.has('input') ? { input: '${input}' } : {}),
    ...(outputs.length === 0 ? {} : { steps: Object.fromEntries(outputs) }),
  }
}

interface Words {
  /** Everything that stands after `steps.`, wherever it stands; true where its status or error is read. */
  readonly steps: ReadonlyMap<string, boolean>
  readonly names: ReadonlySet<string>
}

const STEP_NAMED = /\bsteps\s*\.\s*(?:"([^"\\]{1,128})"|([A-Za-z_]\w*))(\s*\.\s*"?(?:status|error)\b)?/g

/** Rather too much than too little: what is named in a text that is no expression is handed in for nothing. */
function wordsOf(value: Json): Words {
  const steps = new Map<string, boolean>()
  const names = new Set<string>()
  const look = (one: Json): void => {
    if (typeof one === 'string') {
      for (const [, quoted, plain, end] of one.matchAll(STEP_NAMED)) {
        const id = quoted ?? plain ?? ''
        steps.set(id, steps.get(id) === true || end !== undefined)
      }
      if (/\binput\b/.test(one)) names.add('input')
    } else if (typeof one === 'object' && one !== null) for (const entry of Object.values(one)) look(entry)
  }
  look(value)
  return { steps, names }
}
