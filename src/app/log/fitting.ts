/**
 * Names and reasons from people and programs: each is measured in bytes before anything is written, and one that is too
 * long is refused as a whole. A name that is cut is another name.
 */
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import { recordable } from './recordable.ts'

type Given = Readonly<Record<string, string | undefined>>

/**
 * Ids and names: of runs, requests, actors, tenants. The keys of `names` say what they are. The id of a run is measured in
 * characters, whatever bytes they have; so is a correlation, because a child is correlated by the id of a run.
 */
export function mustFitNames({ runId, correlationId, ...names }: Given): void {
  mustFit(names, LIMITS.nameBytes)
  for (const [what, text] of Object.entries({ runId, correlationId })) {
    if (text === undefined) continue
    mustBeStorable(what, text)
    if (!hasRunIdLength(text)) tooLarge(what, `more than ${LIMITS.runIdChars} characters`, LIMITS.runIdChars)
  }
}

/** A character is a code point, as in the published schemas. */
export function hasRunIdLength(runId: string): boolean {
  const { runIdChars } = LIMITS
  // No character has more than two parts: a longer text is not taken apart.
  return runId.length <= runIdChars || (runId.length <= 2 * runIdChars && [...runId].length <= runIdChars)
}

export function mustFitReasons(reasons: Given): void {
  mustFit(reasons, LIMITS.reasonBytes)
}

/** A value that the log stores as one part of an event, measured as it is stored. */
export function mustFitJson(what: string, value: unknown, limit: number): void {
  const written = recordable(value)
  if ('why' in written) return fail('USAGE', `${what} cannot be recorded: ${written.why}`)
  const bytes = Buffer.byteLength(written.text)
  if (bytes > limit) tooLarge(what, `${bytes} bytes as JSON`, limit)
}

function mustFit(given: Given, limit: number): void {
  for (const [what, text] of Object.entries(given)) {
    if (text === undefined) continue
    mustBeStorable(what, text)
    // A text has at least as many bytes as characters: the bytes of a long one are not counted.
    const bytes = text.length > limit ? text.length : Buffer.byteLength(text)
    if (bytes > limit) tooLarge(what, `${bytes} bytes or more`, limit)
  }
}

function mustBeStorable(what: string, text: string): void {
  // A program without types may pass anything.
  if (typeof text !== 'string') fail('USAGE', `${what} must be a text, not ${typeof text}`)
  if (text.includes('\0') || !text.isWellFormed())
    fail('USAGE', `${what} holds a NUL or half of a character, which no store can keep as it is`)
}

function tooLarge(what: string, size: string, limit: number): never {
  return fail('VALUE_TOO_LARGE', `${what} has ${size}; at most ${limit} are allowed`)
}
