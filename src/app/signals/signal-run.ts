/**
 * Sends a signal: it is judged, and the decision is stored together with the inbox row of its run, before anything is applied; only
 * `advance` decides the effect (P-21, AUT-01). A decision that cannot be stored leaves nothing behind (AUT-02). A repeat finds the
 * first; another signal under the same id is SIGNAL_DUPLICATE.
 */
import { LIMITS } from '../../core/limits.ts'
import { needText } from '../../core/option-kinds.ts'
import { inlineSecretName } from '../../core/plan/format/inline-secrets.ts'
import { fail } from '../../core/problems/problem.ts'
import { isBlank } from '../../core/run/people/person.ts'
import type { SignalDecisionRecord } from '../../ports/decisions.ts'
import type { RunRef } from '../../ports/run-store.ts'
import { canonicalText } from '../log/canonical.ts'
import { mustFitNames, mustFitReasons } from '../log/fitting.ts'
import { mustBeRecordable } from '../log/recordable.ts'
import type { Services } from '../services.ts'
import { decisionRecord, isRecordOf, isRowOf, signalInboxRow } from './decision-record.ts'
import { isUuidV4, judgeSignal, type SignalRequest, type SignalSender } from './judge-signal.ts'

/** `pending`: no driver has decided on it yet; it stays in the run's inbox until one does. */
export type SignalAnswer = { readonly kind: 'sent' | 'repeat' | 'pending'; readonly signalId: string }

export interface SignalTaken {
  /** `approval`: it waits for a second person, and its run does not know of it (AUT-04). */
  readonly kind: SignalAnswer['kind'] | 'approval'
  readonly signalId: string
  /** Absent for a signal that an earlier version was sent: it kept no records. */
  readonly record?: SignalDecisionRecord
}

export async function signalRun(
  services: Pick<Services, 'store' | 'random' | 'clock'>,
  run: RunRef,
  request: SignalRequest,
  sender: SignalSender,
): Promise<SignalTaken> {
  const { signalId } = request
  mustBeSendable(request, sender)
  const judgement = await judgeSignal(services, request, sender)
  const { tenantId, runId } = run
  const record = decisionRecord({ tenantId, runId }, request, sender, judgement, services.clock.now())
  const isPending = record.decision === 'PENDING'
  const inboxRow = isPending ? undefined : signalInboxRow(request, judgement.authorization)
  const answer = await services.store.recordDecision(record, inboxRow)
  switch (answer.kind) {
    case 'no-run':
      return fail('RUN_NOT_FOUND', `no run ${runId}`)
    case 'recorded':
      return { kind: isPending ? 'approval' : 'sent', signalId, record }
    case 'exists':
      if (!isRecordOf(answer.record, request)) return duplicate(signalId)
      return { kind: answer.record.decision === 'PENDING' ? 'approval' : 'repeat', signalId, record: answer.record }
    case 'conflict':
      return isRowOf(answer.row, request) ? { kind: 'repeat', signalId } : duplicate(signalId)
  }
}

/** What no record can hold, and what must not be recorded. */
export function mustBeSendable({ signalId, signalType, payload }: SignalRequest, sender: SignalSender): void {
  // A program without types may leave them out; nothing below can name what is missing.
  needText('signal: the signalId', signalId)
  needText('signal: the signalType', signalType)
  mustFitNames({ signalId, signalType, actorId: sender.actorId, actorRole: sender.actorRole })
  mustFitReasons({ reason: sender.reason })
  if (!isUuidV4(signalId)) fail('SIGNAL_INVALID_PAYLOAD', `signalId must be a UUID v4, not '${signalId}'`)
  if (signalType === '') fail('SIGNAL_INVALID_PAYLOAD', 'signalType must not be empty')
  if (isBlank(sender.actorId))
    fail('SIGNAL_INVALID_PAYLOAD', 'a signal needs the name of its sender, and blanks are not a name')
  mustBeRecordable(payload, 'SIGNAL_INVALID_PAYLOAD', 'the payload')
  const sizeBytes = Buffer.byteLength(canonicalText({ signalType, payload }))
  if (sizeBytes > LIMITS.signalBytes)
    fail('SIGNAL_INVALID_PAYLOAD', `the signal has ${sizeBytes} bytes; at most ${LIMITS.signalBytes} are allowed`)
  // The payload goes into the log: a secret in plain text must not be recorded even as refused (P-24).
  const secret = inlineSecretName(payload)
  if (secret !== undefined)
    fail('SIGNAL_INVALID_PAYLOAD', `'${secret}' must not be sent in plain text; refer to it: secret://path`)
}

function duplicate(signalId: string): never {
  return fail('SIGNAL_DUPLICATE', `another signal was already sent under the id ${signalId}`)
}
