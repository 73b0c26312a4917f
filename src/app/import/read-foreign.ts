/**
 * The lines of a foreign log as writes of ours: S0, S1, CloudEvents, or our own `events --json`. What belongs to the store that kept
 * it (numbers, times, hashes) is left behind; what a line does not say of its run, the other lines or the importer say.
 */
import { appendAll } from '../../core/collections/append-all.ts'
import { isEventType, type RunIdentity } from '../../core/events/event.ts'
import { knownFields } from '../../core/events/known-fields.ts'
import { mapWrite, type MapperSources } from '../../core/events/mappers.ts'
import { RECORD_ONLY } from '../../core/events/schemas.ts'
import { readJsonText } from '../../core/json/read-json-text.ts'
import { KeelsonError, problem, type Problem } from '../../core/problems/problem.ts'
import { classifyError } from '../../core/run/failure/classify-error.ts'
import type { Random } from '../../ports/random.ts'
import type { Principal } from '../principal.ts'
import { isEventName, validateRecord } from './validate-events.ts'

type Fields = Readonly<Record<string, unknown>>

interface ForeignLine {
  readonly line: number
  readonly fields: Fields
}

export interface ForeignLog {
  readonly identity: RunIdentity
  readonly planSha256: string
  /** In the order of the file; each with its line. */
  readonly writes: readonly { readonly line: number; readonly write: Fields }[]
  /** Events of types that this version does not know (VER-03). */
  readonly ignored: readonly { readonly line: number; readonly eventType: string }[]
  /** Fields that this version does not know. */
  readonly leftOut: readonly { readonly line: number; readonly fields: readonly string[] }[]
}

/** Throws every problem that can be found without a store, each with its line. */
export function readForeignLog(text: string, principal: Principal, random: Random): ForeignLog {
  const problems: Problem[] = []
  const all = readLines(text, problems)
  const known = all.filter(({ fields }) => !isUnknownType(fields['eventType']))
  appendAll(problems, outOfOrder(all))
  const identity = identityOf(known, principal, problems)
  const [first, ...others] = problems
  if (first !== undefined || identity === undefined)
    throw new KeelsonError([first ?? lineProblem(1, 'it has no event of a known type'), ...others])
  const planRef = known.map(({ fields }) => inner(fields, 'planRef')).find((one) => one !== undefined)
  const planSha256 = typeof planRef?.['sha256'] === 'string' ? planRef['sha256'] : NO_PLAN
  const sources = sourcesOf(identity, planSha256, random)
  const mapped = known.map(({ line, fields }) => ({ line, ...mappedLine(fields, identity, sources) }))
  return {
    identity,
    planSha256,
    writes: mapped.map(({ line, write }) => ({ line, write })),
    ignored: all.flatMap(({ line, fields }) =>
      isUnknownType(fields['eventType']) ? [{ line, eventType: String(fields['eventType']) }] : [],
    ),
    leftOut: mapped.flatMap(({ line, unknown }) => (unknown.length === 0 ? [] : [{ line, fields: unknown }])),
  }
}

/** The hash of no plan: the log does not say which one it was. */
const NO_PLAN = '0'.repeat(64)

function isUnknownType(type: unknown): boolean {
  return typeof type === 'string' && isEventName(type) && !isEventType(type)
}

function readLines(text: string, problems: Problem[]): readonly ForeignLine[] {
  const lines: ForeignLine[] = []
  for (const [index, written] of text.split('\n').entries()) {
    if (written.trim() === '') continue
    const line = index + 1
    const read = readJsonText(written)
    const event = read.ok ? eventIn(read.value) : `it is not JSON: ${read.fault.message}`
    if (typeof event === 'string') problems.push(lineProblem(line, event))
    else lines.push({ line, fields: event })
  }
  return lines
}

/** The event itself, or what is wrong with the line. */
function eventIn(value: unknown): Fields | string {
  if (!isFields(value)) return 'an event must be an object'
  const { specversion, data } = value
  if (specversion !== undefined) {
    if (specversion !== '1.0') return `CloudEvents ${JSON.stringify(specversion)} are not known here, only 1.0`
    return isFields(data) ? data : 'a CloudEvent must have the event as its data'
  }
  const isOwn = isFields(value['decision']) && value['chainHash'] !== undefined
  const checked = isOwn ? validateRecord(value) : undefined
  return checked?.ok === false ? checked.problems[0].message : value
}

/** A line may come twice: its key tells. */
function outOfOrder(lines: readonly ForeignLine[]): readonly Problem[] {
  const problems: Problem[] = []
  let before = 0
  for (const { line, fields } of lines) {
    const { runSeq } = fields
    if (runSeq === undefined) continue
    if (typeof runSeq !== 'number' || !Number.isSafeInteger(runSeq) || runSeq < 1)
      problems.push(lineProblem(line, `runSeq must be a whole number, 1 or more, got ${JSON.stringify(runSeq)}`))
    else if (runSeq < before) problems.push(lineProblem(line, `runSeq ${runSeq} stands after ${before}`))
    else before = runSeq
  }
  return problems
}

const NAMES = ['runId', 'planId', 'planVersion', 'projectId', 'environmentId'] as const

/** The tenant is the importer's own (STO-24); what the log said of it stays in its RunStarted. */
function identityOf(lines: readonly ForeignLine[], principal: Principal, problems: Problem[]): RunIdentity | undefined {
  const found = new Map<string, string>()
  for (const { line, fields } of lines) {
    for (const name of [...NAMES, 'tenantId']) {
      const value = said(fields, name)
      if (value === undefined) continue
      const known = found.get(name) ?? value
      found.set(name, known)
      if (value !== known)
        problems.push(lineProblem(line, `${name} is ${value}, the log's is ${known}`, 'RUN_SCOPE_MISMATCH'))
    }
  }
  const { tenantId, projectId, environmentId } = principal
  const [runId, planId, planVersion] = NAMES.slice(0, 3).map((name) => found.get(name))
  if (runId === undefined || planId === undefined || planVersion === undefined) {
    const missing = NAMES.slice(0, 3).filter((name) => !found.has(name))
    if (lines.length > 0) problems.push(lineProblem(lines[0]?.line ?? 1, `no event says its ${missing.join(', ')}`))
    return undefined
  }
  return {
    tenantId,
    runId,
    planId,
    planVersion,
    projectId: found.get('projectId') ?? projectId,
    environmentId: found.get('environmentId') ?? environmentId,
  }
}

/** The flat RunStarted names its scope and its plan only in its context and its planRef. */
function said(fields: Fields, name: string): string | undefined {
  const value = fields[name] ?? inner(fields, 'context')?.[name] ?? inner(fields, 'planRef')?.[name]
  return typeof value === 'string' ? value : undefined
}

function inner(fields: Fields, name: string): Fields | undefined {
  const { payload } = fields
  const value = fields[name] ?? (isFields(payload) ? payload[name] : undefined)
  return fields['eventType'] === 'RunStarted' && isFields(value) ? value : undefined
}

function mappedLine(fields: Fields, identity: RunIdentity, sources: MapperSources) {
  const kept = Object.entries(fields).filter(
    // In the flat form a signal's `decision` is a word of its payload.
    ([name, value]) => !RECORD_ONLY.includes(name) || (name === 'decision' && typeof value === 'string'),
  )
  return knownFields(mapWrite({ ...identity, ...Object.fromEntries(kept), tenantId: identity.tenantId }, sources))
}

function sourcesOf(identity: RunIdentity, planSha256: string, random: Random): MapperSources {
  const { runId, planId, planVersion, tenantId, projectId, environmentId } = identity
  return {
    newEventId: () => random.uuid(),
    classify: ({ code, message }) => classifyError({ code, message, causes: [] }),
    runStarted: {
      status: 'RUNNING',
      engineRunRef: foreignRef(runId),
      engineType: 'embedded',
      planRef: {
        uri: `foreign:${planId}@${planVersion}`,
        sha256: planSha256,
        schemaVersion: 'v1.0',
        planId,
        planVersion,
      },
      context: { tenantId, projectId, environmentId },
      rulesVersion: 1,
      epoch: 1,
      maxInFlight: 1,
    },
  }
}

/** How an imported run is named where others have the name that their engine gave them. */
export function foreignRef(runId: string): string {
  return `foreign://${runId}`
}

function lineProblem(
  line: number,
  message: string,
  code: 'SCHEMA_VALIDATION_FAILED' | 'RUN_SCOPE_MISMATCH' = 'SCHEMA_VALIDATION_FAILED',
): Problem {
  return problem(code, message, { at: { line, column: 1 } })
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
