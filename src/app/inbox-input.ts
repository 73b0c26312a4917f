/**
 * Rows of a run's inbox as inputs of a decision. A row that cannot be read decides nothing and is consumed, so that
 * one bad row never blocks a run; whoever wrote it sees it in the row itself.
 */
import type { ErrorClass } from '../core/events/event.ts'
import type { InputBody } from '../core/run/input.ts'
import type { InboxRow } from '../ports/run-store.ts'
import type { EffectReport } from '../ports/engine.ts'
import { hasForm } from './inbox-body.ts'

export type InboxInput =
  | { readonly kind: 'input'; readonly input: InputBody }
  | { readonly kind: 'report'; readonly report: EffectReport }
  | { readonly kind: 'child'; readonly body: ChildEnd }
  /** It carries nothing: the turn that takes it is all it is for (P-22). */
  | { readonly kind: 'wake' }
  | { readonly kind: 'unreadable' }

/** What a child run's terminal append tells its parent (P-29). */
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
  /** Of a run that undoes another: what it could not undo. */
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
      if ('result' in body) return { kind: 'report', report: body as EffectReport }
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
      return { kind: 'report', report: body as EffectReport }
    case 'child':
      return { kind: 'child', body: body as ChildEnd }
    case 'wake':
      return { kind: 'wake' }
    default:
      return { kind: 'unreadable' }
  }
}
