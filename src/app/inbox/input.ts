/**
 * Turns rows of a run's inbox into inputs of a decision. A row that cannot be read decides nothing and is consumed, so
 * that a bad row never blocks a run; its author sees that in the row itself.
 */
import type { ErrorClass } from '../../core/events/event.ts'
import type { People } from '../../core/run/state/people.ts'
import type { InputBody } from '../../core/run/input.ts'
import type { EventNotice } from '../../ports/events.ts'
import type { InboxRow } from '../../ports/run-store.ts'
import type { EffectOutcome } from '../../ports/engine.ts'
import { hasForm } from './body.ts'

export type InboxInput =
  | { readonly kind: 'input'; readonly input: InputBody }
  | { readonly kind: 'report'; readonly report: EffectOutcome; readonly seenChanges?: number }
  | { readonly kind: 'child'; readonly body: ChildEnd }
  | { readonly kind: 'event'; readonly notice: EventNotice }
  /** Carries nothing: it only causes a turn (P-22). */
  | { readonly kind: 'wake' }
  | { readonly kind: 'unreadable' }

/** What the last append of a child run tells its parent (P-29). */
export interface ChildEnd {
  readonly slot: string
  readonly attempt: number
  readonly childRunId: string
  readonly status: 'COMPLETED' | 'FAILED' | 'CANCELLED'
  readonly output?: unknown
  readonly outputRef?: { readonly sha256: string; readonly sizeBytes: number }
  readonly childRunKey?: number
  readonly errorCode?: string
  readonly errorClass?: ErrorClass
  /** Who did what in it, and in its own child runs. */
  readonly people?: People
  /** For a run that undoes another: what it could not undo. */
  readonly notUndone?: readonly string[]
}

export function inboxInput(row: InboxRow): InboxInput {
  let body: unknown
  try {
    body = JSON.parse(row.body)
  } catch {
    return { kind: 'unreadable' }
  }
  if (typeof body !== 'object' || body === null || !hasForm(row.kind, body)) return { kind: 'unreadable' }
  switch (row.kind) {
    case 'signal':
      return {
        kind: 'input',
        input: { kind: 'signal', ...(body as Omit<Extract<InputBody, { kind: 'signal' }>, 'kind'>) },
      }
    case 'manual':
      if ('result' in body) return completionOf(body as EffectOutcome & { readonly seenChanges?: number })
      return {
        kind: 'input',
        input: { kind: 'outcome', ...(body as Omit<Extract<InputBody, { kind: 'outcome' }>, 'kind'>) },
      }
    case 'approve':
      return { kind: 'input', input: { kind: 'approve', ...(body as { approvedBy: string }) } }
    case 'grant':
      return { kind: 'input', input: { kind: 'grant', slot: (body as { slot: string }).slot } }
    case 'scope':
      return {
        kind: 'input',
        input: { kind: 'scope', ...(body as Omit<Extract<InputBody, { kind: 'scope' }>, 'kind'>) },
      }
    case 'fork':
      return {
        kind: 'input',
        input: { kind: 'fork', payload: body as Extract<InputBody, { kind: 'fork' }>['payload'] },
      }
    case 'outcome':
      return { kind: 'report', report: body as EffectOutcome }
    case 'event':
      return { kind: 'event', notice: body as EventNotice }
    case 'child':
      return { kind: 'child', body: body as ChildEnd }
    case 'wake':
      return { kind: 'wake' }
    default:
      return { kind: 'unreadable' }
  }
}

/** A person's success takes the path of every report, together with what it was given for. */
function completionOf({ seenChanges, ...report }: EffectOutcome & { readonly seenChanges?: number }): InboxInput {
  return { kind: 'report', report, ...(seenChanges === undefined ? {} : { seenChanges }) }
}
