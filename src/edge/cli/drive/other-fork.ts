/**
 * A fork with another plan or another input: what is given is read once, what it changes is shown, and for another plan a person
 * is asked before anything starts.
 */
import { dirname } from 'node:path'
import { fail } from '../../../core/problems/problem.ts'
import type { ForkOptions, ForkPreview } from '../../../main.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import { checkHandlers } from '../files/check-handlers.ts'
import { readInput } from '../files/run-input.ts'
import type { Source } from '../files/sources.ts'
import { findStepsFile, loadSteps, NO_STEPS, type StepsFile } from '../files/steps-file.ts'
import { mayStart } from '../plans/first-start.ts'
import { planToRun, type PlanToRun } from '../plans/plan-to-run.ts'
import { closedToCode } from '../open/steps-of-run.ts'
import { tellForkPreview } from '../output/fork-preview.ts'
import { unusedText } from '../output/reach.ts'
import type { Options } from '../terminal/command.ts'
import { confirm } from '../terminal/confirm.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { tellDiff } from '../plans/plan-changes.ts'

/** What is forked with, read from files and standard input. */
export interface WhatToFork {
  readonly fork: ForkOptions
  readonly plan?: PlanToRun
}

export async function whatToFork(options: Options): Promise<WhatToFork> {
  const from = options.text('from')
  const atSeq = atEvent(options)
  const input = readInput(options.text('input'), [])
  const file = options.text('plan')
  const isOther = file !== undefined || options.text('planId') !== undefined
  const plan = isOther ? await planToRun(file, options) : undefined
  return {
    fork: {
      ...(from === undefined ? {} : { from }),
      ...(atSeq === undefined ? {} : { atSeq }),
      ...(input === undefined ? {} : { input }),
      ...(plan === undefined ? {} : { plan: plan.name ?? plan.file.compiled }),
      ...(options.flag('newChildren') ? { newChildren: true } : {}),
    },
    ...(plan === undefined ? {} : { plan }),
  }
}

export function atEvent(options: Options): number | undefined {
  const at = options.whole('at')
  return at === 0 ? fail('USAGE', '--at takes the number of an event, from 1') : at
}

/** What another plan changes, then what is taken over and done again. */
export function tellOther(preview: ForkPreview, { plan }: WhatToFork, terminal: Terminal): void {
  if (plan !== undefined && preview.plan === undefined) terminal.line('the plan is the same')
  if (plan !== undefined && preview.plan !== undefined)
    tellDiff(terminal, preview.plan, { after: plan.file.compiled.plan })
  tellForkPreview(preview, terminal)
}

/** False when the person says no. A plan from elsewhere is a stranger here, as it is for `run`. */
export async function mayFork(
  { plan }: WhatToFork,
  steps: string | undefined,
  options: Options,
  terminal: Terminal,
): Promise<boolean> {
  if (plan === undefined) return true
  const { file, children, unused = [], name } = plan
  if (!(await mayStart({ file, children, unused, steps, isOurs: name !== undefined }, options, terminal))) return false
  for (const one of unused) terminal.errorLine(`${terminal.errorPaint.yellow('!')} ${unusedText(one)}`)
  return confirm('Start the new run?', options, terminal, 'a fork onto another plan asks before it starts')
}

/** The file with the functions of the new plan: beside it, or that of the old run. */
export async function stepsPath(
  row: RunRow,
  { file, name }: PlanToRun,
  options: Options,
  source: Source | undefined,
): Promise<string | undefined> {
  if ((await closedToCode([row], options)).size > 0) return undefined
  const beside = findStepsFile(options.text('steps'), [name === undefined ? dirname(file.path) : '.', '.'])
  return beside ?? findStepsFile(source?.steps, [])
}

export async function stepsOfPlan({ file, children }: PlanToRun, path: string | undefined): Promise<StepsFile> {
  const steps = path === undefined ? NO_STEPS : await loadSteps(path)
  checkHandlers([file, ...children], steps)
  return steps
}
