import { describe, expect, it } from 'vitest'
import { META, richLog, see, started } from '../../../../test/fixtures/seen-run.ts'
import { checkOf } from '../../schema/check.ts'
import { projectRun } from '../project/project-run.ts'
import type { RunSnapshot } from '../fold/run-snapshot.ts'
import { itemsOf, snapshotOf } from './snapshot-of.ts'
import { runSnapshotShape, type DescribedSnapshot } from './snapshot-schema.ts'

const check = checkOf(runSnapshotShape.schema)

describe('the schema of a snapshot', () => {
  it('fits every snapshot along a log with all kinds of events [PRJ-06]', () => {
    const { records } = richLog()
    for (let seq = 0; seq <= records.length; seq += 1) {
      const { view } = projectRun(META, records.slice(0, seq))
      const snapshot: DescribedSnapshot = snapshotOf(view)
      expect(check(JSON.parse(JSON.stringify(snapshot))), `after ${seq} events`).toBeUndefined()
      expect(check({ ...snapshot, steps: itemsOf(view, 'b') })).toBeUndefined()
    }
    const failed = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepFailed', { stepId: 'a', data: { errorText: { message: 'm', stackTrace: 's' } } })
      .add('CompensationStarted', { stepId: 'b' })
      .add('CompensationFailed', { stepId: 'b' })
      .add('RunFailed', { payload: { rootCause: { slot: 'a', attempt: 1, runSeq: 4 } } })
      .add('RunCompleted')
    expect(check(see(failed).snapshot)).toBeUndefined()
    expect(see(failed).snapshot).toMatchObject({ inconsistent: true, rootCause: { stepId: 'a' } })
  })

  it.each(['runId', 'status', 'lastEventSeq', 'steps', 'artifacts', 'failedSteps'] as const)(
    'misses %s [PRJ-06]',
    (name) => {
      const { [name]: _, ...rest }: RunSnapshot = see(started()).snapshot
      expect(check(rest)).toContain(name)
    },
  )
})
