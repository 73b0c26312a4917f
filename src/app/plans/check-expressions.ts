/**
 * Checks every expression of a plan before anything runs: it compiles, it begins with a root that exists at its place,
 * and it reads only steps that must have ended by then (DFL-09, X-74). Nothing is evaluated.
 */
import { areAncestors } from '../../core/plan/compile/ancestors.ts'
import type { Outline } from '../../core/plan/read/outline.ts'
import type { PlanReading } from '../../core/plan/compile/parse-plan.ts'
import { pathOf, refuse, suggest, type Block, type Place, type Site } from '../../core/plan/read/reading.ts'
import { parseTemplate } from '../../core/plan/read/template.ts'
import type { Problem } from '../../core/problems/problem.ts'
import type { RootName } from '../expressions/check.ts'
import { checkTransform, expressionNeeds } from '../expressions/expressions.ts'
import { predecessorsOf, type Predecessors } from './predecessors.ts'

interface Checking {
  readonly problems: Problem[]
  readonly positionOf: PlanReading['positionOf']
  readonly outline: Outline
  readonly predecessors: Predecessors
  /** For a block of steps: its place in the document, and what it is given. */
  readonly block?: Surroundings
  /** Questions to the graph, answered together at the end. */
  readonly questions: { readonly of: number; readonly ancestor: number; readonly place: Place; readonly id: string }[]
}

interface Surroundings {
  /** How deep its `steps` and `output` stand in the document. */
  readonly depth: number
  /** Steps around it whose outputs it is given. */
  readonly handedIn: ReadonlySet<string>
  /** The step of the block, which must be able to read them; absent when the block is read alone. */
  readonly of?: { readonly checking: Checking; readonly step: number }
}

/** Where an expression stands: in which step (undefined: the plan's output), and in which of its fields. */
interface Scope {
  readonly step: number | undefined
  readonly field: string
  readonly place: Place
  /** The condition over an event that came. */
  readonly isMatch: boolean
  /** A field of the run itself, known before there are results. */
  readonly ofRun?: string
}

/** Decided once for the whole step, before there are items. */
const BEFORE_ITEMS = ['if', 'unless', 'forEach']

export function checkExpressions(reading: PlanReading): readonly Problem[] {
  const { outline, positionOf, plan } = reading
  if (outline === undefined) return []
  const checking = { problems: [], positionOf, outline, predecessors: predecessorsOf(outline), questions: [] }
  const handedIn = plan?.forItem === undefined ? undefined : new Set(plan.forItem.steps)
  checkPart(reading, handedIn === undefined ? checking : { ...checking, block: { depth: 0, handedIn } })
  return checking.problems
}

function checkPart({ sites, blocks }: Pick<PlanReading, 'sites' | 'blocks'>, checking: Checking): void {
  for (const site of sites) checkSite(site, checking)
  for (const block of blocks) checkBlock(block, checking)
  answerQuestions(checking)
}

function checkBlock(block: Block, around: Checking): void {
  const { outline, place, plan, stepId } = block
  const step = around.outline.indexOf.get(stepId)
  checkPart(block, {
    problems: around.problems,
    positionOf: around.positionOf,
    outline,
    predecessors: predecessorsOf(outline),
    questions: [],
    block: {
      depth: pathOf(place).length,
      handedIn: new Set(plan?.forItem?.steps ?? around.outline.indexOf.keys()),
      ...(step === undefined ? {} : { of: { checking: around, step } }),
    },
  })
}

function checkSite(site: Site, checking: Checking): void {
  if (typeof site.value !== 'string' || site.role === 'schema') return
  const [root, index, field, within] = pathOf(site.place).slice(checking.block?.depth ?? 0)
  const inStep = root === 'steps' && typeof index === 'number' && typeof field === 'string'
  const scope: Scope = {
    step: inStep ? index : undefined,
    field: inStep ? field : 'output',
    place: site.place,
    isMatch: inStep && field === 'wait' && within === 'match',
    ...(root === 'labels' || root === 'concurrencyKey' ? { ofRun: root } : {}),
  }
  if (site.role === 'transform') report(checkTransform(site.value), scope, checking)
  else if (site.role === 'expression') checkExpression(site.value, scope, checking)
  else {
    const parts = parseTemplate(site.value)
    report(parts, scope, checking)
    for (const part of parts.ok ? parts.value : []) {
      if ('expression' in part) checkExpression(part.expression, scope, checking)
    }
  }
}

function report(
  result: { readonly ok: boolean; readonly problems?: readonly Problem[] },
  scope: Scope,
  checking: Checking,
): void {
  for (const { code, message, hint } of result.problems ?? []) {
    refuse(checking, code, scope.place, message, hint === undefined ? {} : { hint })
  }
}

function checkExpression(expression: string, scope: Scope, checking: Checking): void {
  const needs = expressionNeeds(expression)
  if (!needs.ok) return report(needs, scope, checking)
  for (const root of needs.value.roots) checkRoot(root, scope, checking)
  for (const id of needs.value.steps) checkStep(id, scope, checking)
}

function checkRoot(root: RootName, { step, field, place, isMatch, ofRun }: Scope, checking: Checking): void {
  if (ofRun !== undefined && root !== 'input')
    return refuse(
      checking,
      'EXPR_ROOT_UNKNOWN',
      place,
      `'${root}' is not known in '${ofRun}', which a run gets as it starts`,
      {
        hint: 'read the input: `input.customerId`',
      },
    )
  if (root === 'event' && !isMatch)
    return refuse(checking, 'EXPR_ROOT_UNKNOWN', place, `'event' is known only in the 'match' of a wait for an event`)
  if (root === 'previous') {
    if (step !== undefined && checking.predecessors.count(step) === 1) return
    const message =
      step === undefined ? `'previous' is known only in a step` : `'previous' needs exactly one predecessor`
    return refuse(checking, 'EXPR_PREVIOUS_AMBIGUOUS', place, message, { hint: 'name the step: steps.<id>.output' })
  }
  if (root === 'step' && field !== 'compensate')
    return refuse(checking, 'EXPR_ROOT_UNKNOWN', place, `'step' is known only in 'compensate'`, {
      hint: 'name the step: steps.<id>.output',
    })
  if ((root !== 'item' && root !== 'index') || checking.block !== undefined) return
  if (step === undefined || !checking.predecessors.hasItems(step)) {
    refuse(checking, 'EXPR_ROOT_UNKNOWN', place, `'${root}' is known only in a step with 'forEach'`)
  } else if (BEFORE_ITEMS.includes(field)) {
    refuse(
      checking,
      'EXPR_ROOT_UNKNOWN',
      place,
      `'${root}' is not known in '${field}', which is decided before there are items`,
    )
  }
}

function checkStep(id: string, { step, field, place }: Scope, checking: Checking): void {
  const { outline, predecessors, questions } = checking
  const target = outline.indexOf.get(id)
  if (target === undefined && checking.block?.handedIn.has(id) === true) {
    const { of } = checking.block
    // As if the step itself would read it, at the place where the block does.
    if (of !== undefined) checkStep(id, { step: of.step, field: 'with', place, isMatch: false }, of.checking)
    return
  }
  if (target === undefined) {
    const known = [...outline.indexOf.keys()]
    return refuse(checking, 'EXPR_STEP_NOT_FOUND', place, `there is no step '${id}'`, suggest(checking, id, known))
  }
  if (step === undefined) return
  if (target === step) {
    if (field === 'compensate') return
    return refuse(checking, 'EXPR_STEP_NOT_COMPLETED', place, `a step cannot read its own output here`)
  }
  if (outline.isGraph) questions.push({ of: step, ancestor: target, place, id })
  else if (!predecessors.isEarlier(target, step)) {
    refuse(checking, 'EXPR_STEP_NOT_COMPLETED', place, `step '${id}' comes later than this one`)
  }
}

function answerQuestions(checking: Checking): void {
  const { questions, predecessors } = checking
  if (questions.length === 0) return
  const answers = areAncestors(predecessors.dependencies(), questions)
  questions.forEach(({ place, id, of }, index) => {
    if (answers[index] === true) return
    const name = checking.outline.steps[of]?.id ?? 'this step'
    const message = `step '${name}' does not depend on '${id}', so its output need not be there`
    refuse(checking, 'EXPR_STEP_NOT_COMPLETED', place, message, { hint: `add '${id}' to dependsOn` })
  })
}
