/**
 * The plan files beside a plan that its `plan` steps name. A file counts for a step only when it is what the step means, by id,
 * version and hash: of any other nothing is used, and that is told.
 */
import { appendAll } from '../../../core/collections/append-all.ts'
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { childReferences, isBlock, notMeant, planName } from '../../../core/plan/compile/child-plans.ts'
import type { PlanReference } from '../../../core/plan/plan.ts'
import { KeelsonError, type Problem } from '../../../core/problems/problem.ts'
import type { UnusedFile } from '../output/reach.ts'
import { readPlanFile, type PlanFile } from './plan-file.ts'

export interface ChildFiles {
  readonly used: readonly PlanFile[]
  readonly unused: readonly UnusedFile[]
}

const PLAN_ENDINGS = ['.yaml', '.yml', '.json']

function findBeside(folder: string, planId: string): string | undefined {
  const stems = [planId, `${planId}.plan`]
  const files = readdirSync(folder)
  const name = stems.flatMap((stem) => PLAN_ENDINGS.map((ending) => stem + ending)).find((one) => files.includes(one))
  return name === undefined ? undefined : join(folder, name)
}

/**
 * The files `<planId>.yaml` (or `<planId>.plan.yaml`, .yml, .json) beside the plan, for every plan that it or one of
 * them starts. A plan without a file may be published already; whether it is, the store knows.
 */
export function childPlanFiles(root: PlanFile): ChildFiles {
  const read = new Map<string, PlanFile | KeelsonError>()
  const used = new Set<PlanFile>()
  const unused = new Map<string, UnusedFile>()
  const problems = new Set<Problem>()
  for (const block of blocksOf(root)) used.add(block)
  const open = [root, ...used].flatMap(referencesOf)
  for (let ref = open.pop(); ref !== undefined; ref = open.pop()) {
    const path = findBeside(dirname(root.path), ref.planId)
    if (path === undefined || basename(path) === basename(root.path)) continue
    const found = read.get(path) ?? readOrRefusal(path)
    read.set(path, found)
    const why = found instanceof KeelsonError ? unreadable(ref) : notMeant(ref, found.compiled)
    if (why !== undefined) unused.set(JSON.stringify([path, ref]), unusedFor(ref, path, why))
    else if (found instanceof KeelsonError) for (const one of found.problems) problems.add(one)
    else if (!used.has(found)) {
      used.add(found)
      for (const block of blocksOf(found)) used.add(block)
      appendAll(open, [found, ...blocksOf(found)].flatMap(referencesOf))
    }
  }
  const [first, ...rest] = problems
  if (first !== undefined) throw new KeelsonError([first, ...rest])
  return { used: [...used], unused: [...unused.values()] }
}

/** The steps under `forEach` are plans too, and stand in the same file. */
function blocksOf(file: PlanFile): readonly PlanFile[] {
  return (file.compiled.blocks ?? []).map((compiled) => ({ ...file, compiled }))
}

/** Without its own blocks, which need no file. */
function referencesOf({ compiled: { plan } }: PlanFile): readonly PlanReference[] {
  const steps = plan.steps.filter((step) => !('plan' in step) || !isBlock(step.plan, plan, step.stepId))
  return childReferences({ ...plan, steps })
}

function readOrRefusal(path: string): PlanFile | KeelsonError {
  try {
    return readPlanFile(path)
  } catch (thrown) {
    if (thrown instanceof KeelsonError) return thrown
    throw thrown
  }
}

/** What is no plan has no hash, so it is none that is pinned; where nothing is pinned, its mistakes are the user's. */
function unreadable({ sha256 }: PlanReference): string | undefined {
  return sha256 === undefined ? undefined : 'it is no plan that could be read'
}

function unusedFor(ref: PlanReference, file: string, why: string): UnusedFile {
  const { sha256 } = ref
  return { file, plan: planName(ref), ...(sha256 === undefined ? {} : { sha256 }), why }
}
