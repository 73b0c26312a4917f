/** The door for remote workers: what Keelson is made of, for one worker of one tenant. */
import type { Caller } from '../../app/identity/caller.ts'
import { takeReport, type TakenReport } from '../../app/workers/keep-work.ts'
import type { GivenReport } from '../../app/work/record.ts'
import type { Working } from '../../app/workers/working.ts'
import { fail } from '../../core/problems/problem.ts'
import type { Keelson } from '../keelson/keelson.ts'
import { partsOf } from '../services-of.ts'

export function workingFor(
  keelson: Keelson,
  { tenantId, actorId }: Pick<Caller, 'tenantId' | 'actorId'>,
  maySecrets: boolean,
): Working {
  const { services, advancer } = partsOf(keelson)
  const desk = services.desk ?? fail('NO_HANDLER', 'this process sends nothing to remote workers')
  return { services, desk, current: (runKey) => advancer.current(runKey), tenantId, actorId, maySecrets }
}

/** What came too late lies in the inbox of its run: its driver may be here. */
export async function reportFor(
  keelson: Keelson,
  by: Working,
  token: string,
  report: GivenReport,
): Promise<TakenReport> {
  const taken = await takeReport(by, token, report)
  if (taken.recorded === 'late') partsOf(keelson).engine.wake(taken.runKey)
  return taken
}
