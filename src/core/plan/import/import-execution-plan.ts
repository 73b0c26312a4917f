/**
 * Reads an ExecutionPlan of dvt and makes a plan of it. It says what is to be done only by a `kind`: that becomes the
 * function of this name, and a step without one, or of kind `noop`, does nothing and waits for nothing. There is no retry
 * policy there, so a step has one attempt.
 */
import { LIMITS } from '../../limits.ts'
import type { Problem } from '../../problems/problem.ts'
import { ok, refusedFor, type Result } from '../../result.ts'
import { sortProblems } from '../compile/parse-plan.ts'
import { objectOf, optional, required, type ObjectOf } from '../format/fields.ts'
import { isObject, kindOf, listOf, type Kind } from '../format/kind.ts'
import { anyText, id, oneOf, text } from '../format/kinds.ts'
import type { Json } from '../plan.ts'
import { readDocument, type ReadOptions } from '../read/read-document.ts'
import { PLAN_CODES, STEP_CODES, type Reading } from '../read/reading.ts'
import type { Document, Imported } from './imported.ts'

const planVersion = text({ pattern: /^v?\d+\.\d+(\.\d+)?$/, max: 128, what: 'a version such as 1.0.0 or v1.0' })

const metadata = objectOf(
  {
    planId: required(id, 'Its id.', 'nightly'),
    planVersion: required(planVersion, 'Its version.', '1.0.0'),
    schemaVersion: optional(anyText, 'The version of its shape.', 'v1.2'),
    requiresCapabilities: optional(
      listOf(text({ max: 128 }), { max: 64 }),
      'What the engine must be able to do.',
      '[]',
    ),
    fallbackBehavior: optional(oneOf('reject', 'emulate', 'degrade'), 'What to do where it is not.', 'reject'),
    targetAdapter: optional(oneOf('temporal', 'conductor', 'any', 'mock'), 'The only engine for it.', 'any'),
  },
  { what: 'metadata' },
)

const step = objectOf(
  {
    stepId: required(id, 'Its id.', 's1'),
    kind: optional(text({ max: 256 }), 'What it does.', 'dbt-run'),
    dependsOn: optional(listOf(id, { max: LIMITS.planSteps }), 'The steps before it.', '[s0]'),
  },
  { what: 'a step', foreign: { simulateError: 'it belongs to a test: let the function of its kind fail' } },
)
type Step = ObjectOf<(typeof step)['fields']>

/** With the codes of a step. */
const coded: Kind<Step> = {
  ...step,
  read: (value, place, reading) => step.read(value, place, { ...reading, codes: STEP_CODES }),
}

const plan = objectOf(
  {
    metadata: required(metadata, 'What the plan is.', '{ planId: nightly, planVersion: 1.0.0 }'),
    steps: required(listOf(coded, { min: 1, max: LIMITS.planSteps }), 'What it does.', '[{ stepId: s1, kind: noop }]'),
  },
  { what: 'an ExecutionPlan' },
)

const anything: Kind<{ readonly [name: string]: Json }> = kindOf('an object', { type: 'object' }, isObject)

export function importExecutionPlan(given: string, options: ReadOptions): Result<Imported, Problem> {
  const { root, problems: found, positionOf } = readDocument(given, options)
  const reading: Reading = { problems: [...found], sites: [], positionOf, codes: PLAN_CODES }
  const whole = root === undefined ? undefined : anything.read(root.value, undefined, reading)
  const read = whole === undefined ? undefined : plan.read(whole, undefined, reading)
  if (read === undefined || reading.problems.length > 0) return refusedFor(sortProblems(reading.problems))
  return ok({ document: documentOf(read), places: placesOf(read.steps.length), positionOf })
}

function documentOf({ metadata: told, steps: written }: ObjectOf<(typeof plan)['fields']>): Document {
  const { schemaVersion, ...head } = told
  const isGraph = written.some(({ dependsOn }) => dependsOn !== undefined)
  return {
    ...(schemaVersion === undefined ? {} : { schemaVersion }),
    metadata: head,
    policy: { retry: { maxAttempts: 1 } },
    steps: written.map((one) => stepOf(one, isGraph)),
  }
}

function stepOf({ stepId, kind = 'noop', dependsOn = [] }: Step, isGraph: boolean): Document {
  const action: Document = kind === 'noop' ? { wait: { forMs: 0 } } : { run: kind }
  // A dependency that is listed twice is allowed there, and is one.
  return { stepId, ...(isGraph ? { dependsOn: [...new Set(dependsOn)] } : {}), ...action, labels: { kind } }
}

function placesOf(count: number): ReadonlyMap<string, string> {
  const places = new Map([
    ['', ''],
    ['/schemaVersion', '/metadata/schemaVersion'],
  ])
  for (let at = 0; at < count; at += 1) {
    const origin = `/steps/${at}`
    places.set(origin, origin).set(`${origin}/run`, `${origin}/kind`).set(`${origin}/labels`, `${origin}/kind`)
  }
  return places
}
