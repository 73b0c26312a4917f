/** Approves, rejects or starts a run of the queue after asking once more, and tells in words what came of it. */
import { useState, type ReactElement } from 'react'
import type { Client } from '../../../src/client/connect.ts'
import type { Action } from '../../../src/core/authority/actions.ts'
import { LIMITS } from '../../../src/core/limits.ts'
import { session } from '../server/session.ts'
import { SureDialog } from '../shown/sure-dialog.tsx'
import { shortId } from '../shown/words.ts'
import type { QueuedRun } from './queue-groups.ts'

export type ActName = 'approve' | 'reject' | 'start'

export interface AskedAct {
  readonly act: ActName
  readonly run: QueuedRun
}

interface Act {
  readonly words: string
  readonly needs: Action
  readonly about: string
  /** What came of it. */
  readonly send: (client: Client, executionId: string, reason: string) => Promise<string>
}

export const ACTS: Readonly<Record<ActName, Act>> = {
  approve: {
    words: 'Approve',
    needs: 'RUN_APPROVE',
    about: 'It may start from then on: as soon as its limits have room and its time has come.',
    send: async (client, executionId) => {
      const { status } = await client.call('approveExecution', { params: { executionId } })
      return status === 'PENDING' ? 'is told; whoever has it takes the approval next' : 'is approved'
    },
  },
  reject: {
    words: 'Reject …',
    needs: 'RUN_APPROVE',
    about: 'It ends as cancelled before it began. It cannot be taken back.',
    send: async (client, executionId, reason) => {
      const body = reason === '' ? {} : { reason }
      const { status } = await client.call('rejectExecution', { params: { executionId }, body })
      return status === 'CANCELLED'
        ? 'is rejected, and cancelled'
        : 'is not rejected yet: a second person decides, under Tasks'
    },
  },
  start: {
    words: 'Start now',
    needs: 'RUN_START',
    about: 'It starts if its limits have room; it does not overtake those that wait for the same place.',
    send: async (client, executionId) => {
      const { outcome, status, reason } = await client.call('startQueued', { params: { executionId } })
      if (outcome === 'STARTED') return 'has started'
      if (outcome === 'FAILED') return `could not be started: ${reason ?? 'this server cannot run it'}. It stays queued`
      return status === 'PENDING' || status === 'APPROVED'
        ? 'was not started: it waits for room, its instant or an approval, or another process has it'
        : `is ${status.toLowerCase()} by now`
    },
  },
}

export interface QueueActProps {
  readonly asked: AskedAct
  readonly onTold: (words: string) => void
  readonly onClose: () => void
}

export function QueueAct({ asked: { act, run }, onTold, onClose }: QueueActProps): ReactElement {
  const { words, about, send } = ACTS[act]
  const [reason, setReason] = useState('')
  const word = words.replace(' …', '')
  const name = `${run.planId} ${shortId(run.executionId)}`
  return (
    <SureDialog
      title={`${word}: ${name}?`}
      act={word}
      onAct={async () => onTold(`${name} ${await send(session.get().client, run.executionId, reason.trim())}.`)}
      onClose={onClose}
    >
      <p>{about}</p>
      {act === 'reject' ? (
        <label>
          Reason
          <input
            value={reason}
            maxLength={LIMITS.signalReasonChars}
            onChange={({ target }) => setReason(target.value)}
          />
        </label>
      ) : null}
    </SureDialog>
  )
}
