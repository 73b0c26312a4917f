/** New runs from the results of ended ones, with the old plan and input or with others; driven here where they start at once. */
import type { PlanToStart } from '../../app/plans/admit.ts'
import type { Principal } from '../../app/principal.ts'
import { forkRun, previewFork, type ForkPreview } from '../../app/start/fork-run.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { DrivingHere } from './driving-here.ts'
import type { Parts } from '../parts.ts'
import { RunHandle } from './run-handle.ts'
import type { ForkAsked, ForkOptions } from '../run-options.ts'
import type { StartablePlans } from '../plans/startable-plans.ts'

export interface ForkParts {
  readonly parts: Parts
  readonly principal: Principal
  readonly plans: StartablePlans
  readonly here: DrivingHere
}

export async function forkHere(
  { parts, principal, plans, here }: ForkParts,
  row: RunRow,
  asked: ForkAsked,
): Promise<RunHandle> {
  const { services, advancer, engine, capabilities } = parts
  const { actorId = principal.actorId, replaceVersion = parts.replaceVersion ?? false, plan: given, ...rest } = asked
  const plan = given === undefined ? undefined : await plans.get(given)
  const options = { ...rest, row, ...(plan === undefined ? {} : { plan }) }
  // One that waits for approval may be started by a process that has other handlers; that one checks.
  const { approval } = await previewFork(services, advancer, options)
  if (approval === 'none') await needHandlers(here, row, plan)
  await engine.connect()
  const answer = await forkRun(services, advancer, {
    ...options,
    principal: { ...principal, actorId },
    engine: capabilities,
    lease: engine.lease(),
    replaceVersion,
  })
  const handle = new RunHandle(parts, answer.row, answer.kind === 'exists')
  // One that waits for approval is driven by nobody.
  if (answer.kind === 'started' && answer.report.status !== 'PENDING') engine.drive(answer.row.runKey, answer.report)
  return handle
}

async function needHandlers(here: DrivingHere, row: RunRow, plan: PlanToStart | undefined): Promise<void> {
  if (plan === undefined) await here.needHandlersOf(row)
  else here.needHandlers(plan.plan)
}

export async function previewHere(
  { parts, plans }: ForkParts,
  row: RunRow,
  { plan, ...options }: ForkOptions,
): Promise<ForkPreview> {
  const { services, advancer } = parts
  return previewFork(services, advancer, {
    ...options,
    row,
    ...(plan === undefined ? {} : { plan: await plans.get(plan) }),
  })
}
