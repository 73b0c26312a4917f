/**
 * The signal by which a person completes a manual task, as other systems send it (MAN-03): one source of its type,
 * schema and check.
 */
import { LIMITS } from '../limits.ts'
import { checkOf } from '../schema/check.ts'
import { list, literal, object, oneOf, optional, text, type TypeOf } from '../schema/shape.ts'
import { instant } from './payloads.ts'

const name = text({ min: 1, max: LIMITS.nameBytes })

export const manualCompletion = object({
  schemaVersion: literal(1),
  runId: name,
  /** The task's step, with its index if it is an item. */
  actionId: name,
  completionToken: text({ min: 1, max: 512 }),
  outcome: oneOf('Succeeded', 'Failed', 'Cancelled'),
  actorUserId: name,
  actorRoles: optional(list(name, { max: LIMITS.actorRoles })),
  completedAtIso: instant,
  notes: optional(text({ max: LIMITS.notesChars })),
  evidenceRefs: optional(list(name, { max: LIMITS.evidenceRefs })),
})

export type ManualCompletion = TypeOf<typeof manualCompletion>

/** Undefined when the value is valid; otherwise what is wrong with it. */
export const checkManualCompletion = checkOf(manualCompletion.schema)
