/** What a run is admitted with: its input, who asked for it, and what a later start must know about the request. */
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import { inheritedPeople } from '../../core/run/people/duties.ts'
import type { People } from '../../core/run/state/people.ts'
import { isOutside } from '../../core/engine/engine-type.ts'
import type { InputBody, RunOrigin, StartLater } from '../../core/run/input.ts'
import { RULES_VERSION } from '../../core/run/state/state.ts'
import type { NewRun } from '../../ports/run-store.ts'
import { requestOf, runOrigin } from '../advance/start-input.ts'
import { canonicalText } from '../log/canonical.ts'
import { sha256Hex } from '../log/sha256.ts'
import type { AdmittedRequest } from './start-request.ts'

/**
 * On an outside engine the worker starts the run, after it has read the plan's bytes (P-45). What a fork takes over is only known
 * here.
 */
export function startsHere({ engine, reuse }: AdmittedRequest, altered: string | undefined): boolean {
  return !isOutside(engine.engineType) || reuse !== undefined || altered !== undefined
}

export function willStart(request: AdmittedRequest, altered: string | undefined): boolean {
  return request.admission === undefined && startsHere(request, altered)
}

/** With a RunStarted in the same append, which contains the rest. */
export function originOf(request: AdmittedRequest, newRun: NewRun, altered: string | undefined): RunOrigin {
  const isStarted = willStart(request, altered) && altered === undefined && request.report?.status !== 'ERRORS'
  const { source: planSource } = request
  const origin = isStarted ? requestOf(newRun) : runOrigin(newRun)
  return planSource === undefined ? origin : { ...origin, planSource }
}

export type Admission = {
  readonly admit: InputBody
  readonly blobs: readonly { readonly sha256: string; readonly text: string }[]
}

/** Above 64 KiB the input is a blob of the run, written with its first events. */
export function admission(
  request: AdmittedRequest,
  input: unknown,
  { origin, before }: { readonly origin: RunOrigin; readonly before: People | undefined },
): Admission {
  const text = canonicalText(input)
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes > LIMITS.runInputBytes)
    fail('RUN_INPUT_INVALID', `the input has ${sizeBytes} bytes; at most ${LIMITS.runInputBytes} are allowed`)
  const large = sizeBytes > LIMITS.inlinePayloadBytes
  const sha256 = large ? sha256Hex(text) : ''
  const { policy, notBefore, autoApprove } = request.admission ?? {
    policy: 'START' as const,
    notBefore: undefined,
    autoApprove: true,
  }
  return {
    admit: {
      kind: 'admit',
      policy,
      autoApprove: autoApprove && policy !== 'START' ? 'at-start' : autoApprove,
      ...(notBefore === undefined ? {} : { notBefore }),
      ...forStart(request, before),
      ...(request.report === undefined ? {} : { report: request.report }),
      origin,
      ...(large ? { inputRef: { sha256, sizeBytes } } : { runInput: input }),
    },
    blobs: [...(large ? [{ sha256, text }] : []), ...(request.blobs ?? [])],
  }
}

/** A later start knows only what the log says about the request. */
function forStart(request: AdmittedRequest, before: People | undefined): { forStart?: StartLater } {
  const { correlationId, triggerSource, children, principal, admission: queued, engine } = request
  const inherited = before === undefined ? undefined : inheritedPeople(before, principal.actorId)
  const kept = {
    ...(inherited === undefined ? {} : { inherited }),
    ...(request.lock === undefined ? {} : { locked: request.lock }),
    ...(request.approved === undefined ? {} : { approved: request.approved }),
    ...(request.namesAsked === undefined ? {} : { namesAsked: request.namesAsked }),
  }
  if (queued === undefined && !isOutside(engine.engineType))
    return Object.keys(kept).length === 0 ? {} : { forStart: kept }
  return {
    forStart: {
      ...(correlationId === undefined ? {} : { correlationId }),
      ...(triggerSource === undefined ? {} : { triggerSource }),
      triggeredBy: principal.actorId,
      ...kept,
      ...(children === undefined ? {} : { children }),
      rulesVersion: RULES_VERSION,
    },
  }
}
