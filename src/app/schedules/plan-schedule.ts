/**
 * The schedule that a plan brings: publishing the plan makes or changes the schedule of its name, and a version without one removes it. It
 * starts the newest version of the plan, so only the newest version says when: an older one that is published again, as a server does with
 * its folder whenever it starts, changes nothing.
 */
import type { Plan } from '../../core/plan/plan.ts'
import { fail } from '../../core/problems/problem.ts'
import { unwrap } from '../../core/result.ts'
import { readDefinition, type ScheduleAsked } from '../../core/schedule/definition.ts'
import type { PlanToStart } from '../plans/admit.ts'
import { createSchedule, deleteSchedule, updateSchedule, type Managing } from './manage-schedules.ts'
import { scheduleOf, type Schedule } from './record.ts'
import { offsetOf } from './zones.ts'

type Published = Pick<PlanToStart, 'plan' | 'sha256'>

/** Refused before anything is published. */
export async function needPlanSchedule(managing: Managing, { plan, sha256 }: Published): Promise<void> {
  const asked = askedBy(plan)
  if (asked === undefined) return
  unwrap(readDefinition(asked, offsetOf))
  if (await isOlder(managing, { plan, sha256 })) return
  const { planId } = plan.metadata
  const existing = await existingOf(managing, planId)
  if (existing !== undefined && existing.record.ofPlan !== true)
    fail('SCHEDULE_EXISTS', `there is a schedule ${planId} already, and it is not the plan's own`)
}

/** After it is published. */
export async function keepPlanSchedule(managing: Managing, { plan, sha256 }: Published): Promise<void> {
  if (await isOlder(managing, { plan, sha256 })) return
  const { planId } = plan.metadata
  const asked = askedBy(plan)
  const existing = await existingOf(managing, planId)
  if (asked === undefined) {
    if (existing?.record.ofPlan === true) await deleteSchedule(managing, planId, true)
  } else if (existing === undefined) await createSchedule(managing, { scheduleId: planId, asked, ofPlan: true })
  else await updateSchedule(managing, planId, asked, true)
}

/** Its version is published, and a newer one too. */
async function isOlder({ store, tenantId }: Managing, { plan, sha256 }: Published): Promise<boolean> {
  const { planId, planVersion } = plan.metadata
  if ((await store.findPlan(tenantId, planId, planVersion)) !== sha256) return false
  return (await store.findPlan(tenantId, planId)) !== sha256
}

function askedBy({ schedule, metadata }: Plan): ScheduleAsked | undefined {
  return schedule === undefined ? undefined : { planId: metadata.planId, ...schedule }
}

async function existingOf({ store, tenantId }: Managing, scheduleId: string): Promise<Schedule | undefined> {
  const stored = await store.findSchedule(tenantId, scheduleId)
  return stored === undefined ? undefined : scheduleOf(stored)
}
