/**
 * Turns what an executor reported into an outcome the decider can take: the output is checked against its schema,
 * offloaded when large, and captured into the context; whatever cannot be done makes the attempt fail (P-16).
 */
import { cutText } from '../../core/cut-text.ts'
import type { ArtifactRef, ErrorInfo } from '../../core/events/event.ts'
import { LIMITS } from '../../core/limits.ts'
import { problem, type Problem } from '../../core/problems/problem.ts'
import { describeClass } from '../../core/run/failure/classify-error.ts'
import { INDETERMINATE_ERROR } from '../../core/run/failure/step-errors.ts'
import type { InputBody, Outcome } from '../../core/run/input.ts'
import type { Step } from '../../core/plan/plan.ts'
import { locate, stepAt } from '../../core/run/state/units.ts'
import type { CompletedBy, EffectOutcome } from '../../ports/engine.ts'
import { applyCaptures } from '../values/capture-output.ts'
import { describeError } from '../redact/describe-error.ts'
import { validateJson } from '../schemas/json-schema.ts'
import type { Blob } from '../values/offload.ts'
import type { BlobStore } from '../values/read-results.ts'
import { readVariables } from '../loaded/read-variables.ts'
import { recordable } from '../log/recordable.ts'
import type { ContextChange } from '../values/run-context.ts'
import { sha256Hex } from '../log/sha256.ts'
import type { RootsAt } from '../loaded/slot-roots.ts'
import { namesProblem, readPointers, usablePointers } from '../values/step-pointers.ts'

export interface PreparedOutcome {
  readonly input: Extract<InputBody, { kind: 'outcome' }>
  readonly writes: readonly ContextChange[]
  /** Captured values that are too large for their event. */
  readonly blobs?: readonly Blob[]
  /** The output as the next step reads it. */
  readonly output: unknown
}

type At = Omit<RootsAt, 'unit'> & { readonly store: BlobStore; readonly buildId: string | undefined }

/** At hand where nothing has to be read or stored for it, as for most outcomes. */
export function prepareOutcome(report: EffectOutcome, at: At): PreparedOutcome | Promise<PreparedOutcome> {
  const { slot, attempt, engineAttempt, result } = report
  const base = { kind: 'outcome', slot, attempt, engineAttempt } as const
  if (result.kind === 'failed') {
    const { error: described, errorText } = result.described ?? describeError(result.thrown, result.aborted)
    // Only the claim says so, never what a handler threw.
    const error = result.indeterminate === true ? INDETERMINATE_ERROR : described
    const { durationMs, artifactRefs } = result
    const usable = usablePointers(artifactRefs ?? [])
    const partial = usable.length === 0 ? {} : { artifactRefs: usable }
    const outcome: Outcome = { kind: 'failed', error, data: { errorText }, ...partial, durationMs, ...build(at) }
    return { input: { ...base, outcome }, writes: [], output: null }
  }
  return prepareCompleted(base, result, at)
}

function build(at: At): { buildId?: string } {
  return at.buildId === undefined ? {} : { buildId: at.buildId }
}

type Completed = Extract<EffectOutcome['result'], { kind: 'completed' }>
/** With its pointers as they are recorded. */
type Recorded = Completed & { readonly artifactRefs: readonly ArtifactRef[] }
type Base = Omit<PreparedOutcome['input'], 'outcome'>

function prepareCompleted(base: Base, result: Completed, at: At): PreparedOutcome | Promise<PreparedOutcome> {
  const given = result.output === undefined ? null : result.output
  const refuse = refusing(base, result, at)
  const written = recordable(given)
  if ('why' in written) {
    const message = `the output cannot be recorded: ${written.why}`
    return refuse([{ code: 'OUTPUT_INVALID', message, retryable: false }])
  }
  const { text } = written
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes > LIMITS.valueBytes) {
    const message = `the output has ${sizeBytes} bytes; at most ${LIMITS.valueBytes} are allowed`
    return refuse([{ code: 'OUTPUT_INVALID', message, retryable: false }])
  }
  const output = asRecorded(given, text)
  const pointers = readPointers(result.artifactRefs)
  if (!pointers.ok) return refuse(pointers.problems)
  const { value: artifactRefs } = pointers
  const found = locate(at.state, base.slot)
  if (found === undefined) return simple(base, { ...result, artifactRefs }, output, text, at)
  const step = stepAt(at.state.graph, found.unit.step)
  if (step.outputSchema !== undefined) {
    const valid = validateJson(step.outputSchema, output, 'OUTPUT_INVALID')
    if (!valid.ok) return refuse(valid.problems)
  }
  const preparing = simple(base, { ...result, artifactRefs }, output, text, at)
  return step.capture === undefined || step.capture.length === 0
    ? preparing
    : captureFrom(preparing, base, { ...result, artifactRefs }, step, at)
}

type Refuse = (problems: readonly Problem[]) => PreparedOutcome

function refusing(base: Base, result: Completed, at: At): Refuse {
  return (problems) => ({ input: { ...base, outcome: refusedOutcome(problems, result, at) }, writes: [], output: null })
}

async function captureFrom(
  preparing: PreparedOutcome | Promise<PreparedOutcome>,
  base: Base,
  result: Recorded,
  { capture = [], isolate }: Step,
  at: At,
): Promise<PreparedOutcome> {
  const prepared = await preparing
  const { output } = prepared
  const refuse = refusing(base, result, at)
  const context = await readVariables(at.store, at.run, at.seq, at.pending)
  const captured = applyCaptures(capture, output, context, isolate)
  if (!captured.ok) return refuse(captured.problems)
  const { outcome } = prepared.input
  if (outcome.kind === 'failed') return prepared
  const { captures } = captured.value
  const evidence = result.by?.evidenceRefs === undefined ? {} : { evidenceRefs: result.by.evidenceRefs }
  const roles = result.by?.actorRoles === undefined ? {} : { actorRoles: result.by.actorRoles }
  const { artifactRefs } = result
  const tooMuch = namesProblem({ artifactRefs, captures, ...evidence, ...roles })
  if (tooMuch !== undefined) return refuse([problem('DECISION_DATA_TOO_LARGE', tooMuch)])
  const withCaptures: Outcome = {
    ...outcome,
    payload: { ...outcome.payload, captures },
    data: { ...outcome.data, captureValues: captured.value.values },
  }
  const { writes, blobs } = captured.value
  return { input: { ...base, outcome: withCaptures }, writes, blobs, output }
}

/**
 * What stands in the log: a date is a text there, an absent field is none, and whoever returned the value may go on
 * changing it. Only that is read from now on, so that it makes no difference whether a reader comes before or after the commit.
 */
function asRecorded(output: unknown, text: string): unknown {
  return typeof output === 'object' && output !== null ? (JSON.parse(text) as unknown) : output
}

function simple(
  base: Base,
  result: Recorded,
  output: unknown,
  text: string,
  at: At,
): PreparedOutcome | Promise<PreparedOutcome> {
  const sizeBytes = Buffer.byteLength(text)
  const large = sizeBytes > LIMITS.inlinePayloadBytes
  const sha256 = large ? sha256Hex(text) : ''
  const { by } = result
  const outcome: Outcome = {
    kind: 'completed',
    payload: {
      artifactRefs: result.artifactRefs,
      durationMs: result.durationMs,
      ...(large ? { resultRef: { sha256, sizeBytes } } : {}),
      ...build(at),
      ...(by === undefined
        ? {}
        : { ...personOf(by), ...(by.evidenceRefs === undefined ? {} : { evidenceRefs: by.evidenceRefs }) }),
    },
    data: {
      ...(large || output === null ? {} : { result: output }),
      ...(by?.notes === undefined ? {} : { notes: by.notes }),
    },
  }
  const prepared = { input: { ...base, outcome }, writes: [], output }
  return large ? at.store.putBlob(at.run.row.runKey, sha256, text).then(() => prepared) : prepared
}

function personOf({ actorId, actorRoles }: CompletedBy): Pick<CompletedBy, 'actorId' | 'actorRoles'> {
  return actorRoles === undefined ? { actorId } : { actorId, actorRoles }
}

/** A person's answer that cannot be used is still recorded as that person's answer. */
function refusedOutcome(problems: readonly Problem[], { durationMs, by }: Completed, at: At): Outcome {
  const [first] = problems
  const error: ErrorInfo = { code: first?.code ?? 'OUTPUT_INVALID', ...describeClass('validation') }
  const message = cutText(problems.map((one) => one.message).join('; '), LIMITS.errorTextBytes / 4)
  const actor = by === undefined ? {} : personOf(by)
  return { kind: 'failed', error, data: { errorText: { message } }, durationMs, ...build(at), ...actor }
}
