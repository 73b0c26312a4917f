/** What one does with a schedule: pause it until an instant or for good, resume it, delete it; each is asked once more. */
import { useState, type ReactElement } from 'react'
import { LIMITS } from '../../../src/core/limits.ts'
import { session } from '../server/session.ts'
import { ActButton } from '../shown/act-button.tsx'
import { SureDialog } from '../shown/sure-dialog.tsx'
import type { Schedule } from './schedule-draft.ts'

export interface ScheduleActsProps {
  readonly schedule: Schedule
  readonly onDone: () => void
  readonly onDeleted?: () => void
}

export function ScheduleActs({ schedule, onDone, onDeleted = onDone }: ScheduleActsProps): ReactElement {
  const { scheduleId, paused, ofPlan } = schedule
  const [asked, setAsked] = useState<'pause' | 'delete' | 'resume'>()
  const params = { scheduleId }
  const close = (): void => setAsked(undefined)
  return (
    <span className="row-acts">
      {paused ? (
        <ActButton words="Resume" of={scheduleId} needs="RUN_START" onClick={() => setAsked('resume')} />
      ) : (
        <ActButton words="Pause" of={scheduleId} needs="RUN_START" onClick={() => setAsked('pause')} />
      )}
      {ofPlan ? null : (
        <ActButton words="Delete" of={scheduleId} needs="RUN_START" onClick={() => setAsked('delete')} />
      )}
      {asked === 'pause' ? <PauseDialog scheduleId={scheduleId} onDone={onDone} onClose={close} /> : null}
      {asked === 'resume' ? (
        <SureDialog
          title={`Resume ${scheduleId}?`}
          act="Resume"
          onAct={() => session.get().client.call('resumeSchedule', { params }).then(onDone)}
          onClose={close}
        >
          <p>What came while it was paused is passed over; its next occurrence is the next one after now.</p>
        </SureDialog>
      ) : null}
      {asked === 'delete' ? (
        <SureDialog
          title={`Delete the schedule ${scheduleId}?`}
          act="Delete"
          onAct={() => session.get().client.call('deleteSchedule', { params }).then(onDeleted)}
          onClose={close}
        >
          <p>Nothing is started by it from then on. Runs that it started go on; its list of occurrences is gone.</p>
        </SureDialog>
      ) : null}
    </span>
  )
}

interface PauseDialogProps {
  readonly scheduleId: string
  readonly onDone: () => void
  readonly onClose: () => void
}

function PauseDialog({ scheduleId, onDone, onClose }: PauseDialogProps): ReactElement {
  const [until, setUntil] = useState('')
  const [reason, setReason] = useState('')
  const pause = async (): Promise<void> => {
    const body = {
      ...(until === '' ? {} : { until: new Date(until).toISOString() }),
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    }
    await session.get().client.call('pauseSchedule', { params: { scheduleId }, body })
    onDone()
  }
  return (
    <SureDialog title={`Pause ${scheduleId}?`} act="Pause" onAct={pause} onClose={onClose}>
      <p>What comes meanwhile is passed over. Runs that it started go on.</p>
      <label className="field">
        Until, or empty until it is resumed
        <input type="datetime-local" value={until} onChange={(event) => setUntil(event.target.value)} />
      </label>
      <label className="field">
        Reason
        <input
          value={reason}
          maxLength={LIMITS.signalReasonChars}
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
    </SureDialog>
  )
}
