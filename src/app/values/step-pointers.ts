/**
 * What the end of an attempt names beside its output: pointers to artifacts, captured paths, evidence. They stand in the
 * event itself, so they are held against its size before anything is decided on them: an event that cannot be written would
 * set the whole run aside.
 */
import type { ArtifactRef } from '../../core/events/event.ts'
import { artifactRef } from '../../core/events/payloads.ts'
import { LIMITS } from '../../core/limits.ts'
import { ok, type Result } from '../../core/result.ts'
import { checkOf } from '../../core/schema/check.ts'
import { jsonBytes } from '../schemas/json-bytes.ts'
import { recordable } from '../log/recordable.ts'

const checkArtifact = checkOf(artifactRef.schema)

/** A copy of what a step added: its own objects may change, or answer differently the next time they are asked. */
export function readPointers(given: readonly unknown[]): Result<readonly ArtifactRef[]> {
  if (given.length === 0) return ok([])
  const refs: ArtifactRef[] = []
  for (const one of given) {
    const read = pointerOf(one)
    if ('why' in read) return invalid(`an artifact is not a pointer: ${read.why}`)
    refs.push(read.ref)
  }
  const problem = namesProblem({ artifactRefs: refs })
  return problem === undefined ? ok(refs) : invalid(problem)
}

/** For a step that failed: only valid pointers, as many as fit. An invalid pointer must not hide why the step failed. */
export function usablePointers(given: readonly unknown[]): readonly ArtifactRef[] {
  const refs: ArtifactRef[] = []
  let bytes = 0
  for (const one of given) {
    const read = pointerOf(one)
    if ('why' in read) continue
    bytes += (jsonBytes(read.ref, LIMITS.namedByStepBytes) ?? LIMITS.namedByStepBytes) + 1
    if (bytes > LIMITS.namedByStepBytes) break
    refs.push(read.ref)
  }
  return refs
}

/** Why one event cannot hold all of it; undefined when it can. */
export function namesProblem(named: Readonly<Record<string, unknown>>): string | undefined {
  if (jsonBytes(named, LIMITS.namedByStepBytes) !== undefined) return undefined
  const whole = jsonBytes(named, Infinity) ?? 0
  const what = Object.keys(named).join(', ')
  return `what the step names (${what}) has ${whole} bytes as JSON; at most ${LIMITS.namedByStepBytes} are allowed`
}

function pointerOf(given: unknown): { readonly ref: ArtifactRef } | { readonly why: string } {
  const written = recordable(given)
  if ('why' in written) return written
  const ref: unknown = JSON.parse(written.text)
  const why = checkArtifact(ref)
  return why === undefined ? { ref: ref as ArtifactRef } : { why }
}

function invalid(message: string): Result<never> {
  return { ok: false, problems: [{ code: 'OUTPUT_INVALID', message, retryable: false }] }
}
