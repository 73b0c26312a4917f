/** A person's answer to a manual task: its form, what is checked before it is stored, and its outcome in the log. */
import { cutText } from '../../core/cut-text.ts'
import type { ErrorInfo } from '../../core/events/event.ts'
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import type { Outcome } from '../../core/run/input.ts'
import { isBlank } from '../../core/run/people/person.ts'
import type { EffectOutcome } from '../../ports/engine.ts'
import { canonicalText } from '../log/canonical.ts'
import { jsonBytes } from '../schemas/json-bytes.ts'
import { mustBeRecordable } from '../log/recordable.ts'

export interface TaskCompletion {
  readonly completionToken: string
  readonly outcome: 'Succeeded' | 'Failed' | 'Cancelled'
  readonly actorUserId: string
  /** The roles of this person, told by who authenticates them: `SpecialistApproval` asks for one. */
  readonly actorRoles?: readonly string[]
  readonly notes?: string
  readonly evidenceRefs?: readonly string[]
  readonly result?: unknown
  /** Optional parts of the signal (MAN-03): if given, they must be the task's. */
  readonly runId?: string
  readonly actionId?: string
}

interface SentBy {
  readonly actorId?: string
  readonly actorRoles?: readonly string[]
}

/** What the inbox row of a completion holds, besides the attempt. */
export interface SentCompletion {
  readonly slot: string
  readonly result?: { readonly by?: SentBy }
  readonly outcome?: SentBy & { readonly error: { readonly code: string } }
}

/** A success takes the path of every output (schema, captures, offloading); a refusal is final as it is. */
export function outcomeOf(completion: TaskCompletion): Pick<EffectOutcome, 'result'> | { readonly outcome: Outcome } {
  const { actorUserId: actorId, actorRoles = [], notes, evidenceRefs } = completion
  const roles = actorRoles.length === 0 ? {} : { actorRoles }
  if (completion.outcome === 'Succeeded') {
    const by = {
      actorId,
      ...roles,
      ...(notes === undefined ? {} : { notes }),
      ...(evidenceRefs === undefined ? {} : { evidenceRefs }),
    }
    return { result: { kind: 'completed', output: completion.result ?? null, artifactRefs: [], durationMs: 0, by } }
  }
  const code = completion.outcome === 'Failed' ? 'MANUAL_FAILED' : 'MANUAL_CANCELLED'
  const error: ErrorInfo = { code, retryable: false, errorClass: 'permanent', category: 'business' }
  const data = notes === undefined ? {} : { data: { notes, errorText: { message: notes } } }
  const evidence = evidenceRefs === undefined ? {} : { evidenceRefs }
  return { outcome: { kind: 'failed', error, actorId, ...roles, ...evidence, final: true, ...data } }
}

/** The outcome in an inbox row, as its sender wrote it. */
export function wordOf({ outcome }: Omit<SentCompletion, 'slot'>): TaskCompletion['outcome'] {
  if (outcome === undefined) return 'Succeeded'
  return outcome.error.code === 'MANUAL_CANCELLED' ? 'Cancelled' : 'Failed'
}

export function senderOf({ result, outcome }: Omit<SentCompletion, 'slot'>): string | undefined {
  return result?.by?.actorId ?? outcome?.actorId
}

export function rolesOfSender({ result, outcome }: Omit<SentCompletion, 'slot'>): readonly string[] | undefined {
  return result?.by?.actorRoles ?? outcome?.actorRoles
}

/** Are all parts equal that a person decides: outcome, result, notes, evidence, and the person? */
export function saysTheSame(sent: SentCompletion, completion: TaskCompletion): boolean {
  // As it would be stored: JSON leaves out undefined values.
  const asked = JSON.parse(JSON.stringify(outcomeOf(completion))) as Omit<SentCompletion, 'slot'>
  return fingerprint(sent) === fingerprint(asked)
}

function fingerprint({ result, outcome }: Omit<SentCompletion, 'slot'>): string {
  return canonicalText({ ...(result === undefined ? {} : { result }), ...(outcome === undefined ? {} : { outcome }) })
}

/** Checked before it is stored: a row that cannot be recorded would stop the run. */
export function checkCompletion(completion: TaskCompletion): void {
  const { actorUserId, notes, evidenceRefs, result } = completion
  mustBeRecordable({ actorUserId, notes, evidenceRefs, result }, 'TASK_COMPLETION_INVALID', 'the completion')
  const { nameBytes, notesBytes, notesChars, evidenceBytes, valueBytes } = LIMITS
  if (!isName(actorUserId) || isBlank(actorUserId))
    invalid(`actorUserId must be a text of 1 to ${nameBytes} bytes, not only blanks`)
  if (!areRoles(completion.actorRoles))
    invalid(`actorRoles must be at most ${LIMITS.actorRoles} texts, ${LIMITS.actorRolesBytes} bytes as JSON`)
  if (notes !== undefined && (typeof notes !== 'string' || notes.length > notesChars || bytesOf(notes) > notesBytes))
    invalid(`notes must be a text of at most ${notesChars} characters and ${notesBytes} bytes`)
  if (evidenceRefs !== undefined && !(Array.isArray(evidenceRefs) && evidenceRefs.every(isName)))
    invalid(`evidenceRefs must be texts of 1 to ${nameBytes} bytes`)
  // More than an event can hold would set the run aside when the row is taken.
  if ((evidenceRefs?.length ?? 0) > LIMITS.evidenceRefs)
    invalid(`at most ${LIMITS.evidenceRefs} evidenceRefs are allowed`)
  if (evidenceRefs !== undefined && jsonBytes(evidenceRefs, evidenceBytes) === undefined)
    invalid(`evidenceRefs are larger than ${evidenceBytes} bytes as JSON`)
  if (result !== undefined && jsonBytes(result, valueBytes) === undefined)
    invalid(`the result is larger than ${valueBytes} bytes`)
  if (!['Succeeded', 'Failed', 'Cancelled'].includes(completion.outcome))
    invalid(`outcome must be Succeeded, Failed or Cancelled, not '${cutText(String(completion.outcome), SHOWN_CHARS)}'`)
}

const SHOWN_CHARS = 100

function areRoles(roles: unknown): boolean {
  if (roles === undefined) return true
  const { actorRoles, actorRolesBytes } = LIMITS
  if (!Array.isArray(roles) || roles.length > actorRoles || !roles.every(isName)) return false
  return jsonBytes(roles, actorRolesBytes) !== undefined
}

function isName(text: unknown): boolean {
  return typeof text === 'string' && text !== '' && !text.includes('\0') && bytesOf(text) <= LIMITS.nameBytes
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text)
}

function invalid(message: string): never {
  return fail('TASK_COMPLETION_INVALID', message)
}
