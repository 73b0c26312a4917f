/**
 * What can be checked about duties and approvals before a run exists: a rule that nobody can ever satisfy, and an approval that
 * would release more than one dispatch, in a plan or in the plans it starts (MAN-08, MAN-13).
 */
import { parseDutyRule } from '../../core/plan/format/duty-rule.ts'
import { notMeant } from '../../core/plan/compile/child-plans.ts'
import { compileGraph, TRAIT, type PlanGraph } from '../../core/plan/compile/graph.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { problem, type Problem } from '../../core/problems/problem.ts'
import { gatesOf, releasedForMany } from '../../core/run/people/approvals.ts'
import type { ApprovedAbove } from '../../core/run/state/state.ts'
import { hasTrait, stepAt } from '../../core/run/state/units.ts'

interface Known {
  readonly plan: Plan
  readonly sha256: string
}

interface KnownGraph extends PlanGraph {
  readonly sha256: string
}

/** The first plan and those it may start, as far as they are at hand. */
export function dutyProblems(plans: readonly Known[]): readonly Problem[] {
  const graphs = plans.map(({ plan, sha256 }): KnownGraph => ({ ...compileGraph(plan), sha256 }))
  return graphs.flatMap((graph) => [...tooFewTasks(graph), ...approvedForMany(graph, graphs)])
}

/** A rule counts the people of the run. If there can never be enough of them, the task would wait for ever. */
function tooFewTasks(graph: PlanGraph): readonly Problem[] {
  return graph.steps.flatMap((step, at) => {
    const rule = 'manual' in step && step.manual.rule !== undefined ? parseDutyRule(step.manual.rule) : undefined
    const least = rule?.kind === 'SafetyClassifiedZoneDualApproval' ? 2 : 0
    const asked = rule?.kind === 'DistinctApprovers' ? rule.minimumApprovers : least
    const tasks = [...graph.steps.keys()].filter(
      (other) => graph.kinds[other] === 'manual' && !isAfter(graph, other, at),
    )
    const most = tasks.reduce((sum, other) => sum + (hasTrait(graph, other, TRAIT.fan) ? Infinity : 1), 0)
    if (most >= asked) return []
    const message = `'${step.stepId}' asks for ${asked} different people, and ${most} of them at most can have approved by then`
    return [problem('DUTY_UNMEETABLE', `${graph.plan.metadata.planId}: ${message}`)]
  })
}

function isAfter(graph: PlanGraph, step: number, other: number): boolean {
  const open = [...(graph.dependents[other] ?? [])]
  const seen = new Set(open)
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === step) return true
    for (const next of graph.dependents[at] ?? []) {
      if (!seen.has(next)) open.push(next)
      seen.add(next)
    }
  }
  return false
}

function approvedForMany(graph: PlanGraph, graphs: readonly KnownGraph[]): readonly Problem[] {
  const own = releasedForMany(graph)
  const children = graph.steps.flatMap((step, at) => {
    const [gate] = 'plan' in step ? gatesOf(graph, [at]) : []
    if (gate === undefined) return []
    return manyBelow(step.stepId, approvedBy(graph, gate, at), childOf(graph, at, graphs), graphs, new Set())
  })
  const told = own === undefined ? [] : [sayMany(own.stepId, own.gate)]
  return [...told, ...children].map((message) =>
    problem('APPROVAL_FOR_MANY', `${graph.plan.metadata.planId}: ${message}`),
  )
}

function sayMany(stepId: string, gate: string): string {
  return `'${stepId}' cannot be undone and is dispatched for each item after '${gate}'`
}

function approvedBy(graph: PlanGraph, gate: number, step: number): ApprovedAbove {
  const approvals = [{ stepId: graph.stepIds[gate] ?? '', runSeq: 1 }]
  return { approvals, ...(hasTrait(graph, step, TRAIT.fan) ? { forMany: true } : {}) }
}

/** The approval also covers children of children that have no manual step before them. */
function manyBelow(
  path: string,
  approved: ApprovedAbove,
  child: KnownGraph | undefined,
  graphs: readonly KnownGraph[],
  seen: Set<KnownGraph>,
): readonly string[] {
  if (child === undefined || seen.has(child)) return []
  const deeper = new Set(seen).add(child)
  const many = releasedForMany(child, approved)
  const here = many === undefined || isOwn(child, many.stepId) ? [] : [sayMany(`${path}/${many.stepId}`, many.gate)]
  const below = child.steps.flatMap((step, at) => {
    if (!('plan' in step) || gatesOf(child, [at]).length > 0) return []
    const passed = hasTrait(child, at, TRAIT.fan) ? { ...approved, forMany: true } : approved
    return manyBelow(`${path}/${step.stepId}`, passed, childOf(child, at, graphs), graphs, deeper)
  })
  return [...here, ...below]
}

/** Reported for the child plan itself. */
function isOwn(graph: PlanGraph, stepId: string): boolean {
  return hasTrait(graph, graph.indexOf.get(stepId) ?? -1, TRAIT.released)
}

function childOf(graph: PlanGraph, at: number, graphs: readonly KnownGraph[]): KnownGraph | undefined {
  const step = stepAt(graph, at)
  return 'plan' in step ? graphs.find((known) => notMeant(step.plan, known) === undefined) : undefined
}
