/**
 * The texts of a manual task, mapped over what its slot sees: who is asked, and for what. They are derived from the log at
 * the seq of the attempt's input, so every reader gets the same (P-17). Assignees that cannot be told are a refusal, never
 * "anybody": an empty list in the plan means anybody, an empty value does not.
 */
import { hasMappedTexts, type Json, type ManualAction } from '../core/plan/plan.ts'
import { problem } from '../core/problems/problem.ts'
import { ok, refused, type Result } from '../core/result.ts'
import type { Unit } from '../core/run/state.ts'
import type { RunStore } from '../ports/run-store.ts'
import type { LoadedRun } from './load-run.ts'
import { mappingNeeds, mapValue } from './map-input.ts'
import { slotRoots, type RootsAt } from './slot-roots.ts'

type Manual = ManualAction['manual']

export interface TaskTexts {
  readonly title: string
  readonly instructions?: string
  /** Absent when the task is anybody's. */
  readonly assignees?: readonly string[]
}

const NAME_CHARS = 255

export async function taskTexts(manual: Manual, at: RootsAt): Promise<Result<TaskTexts>> {
  const { title, instructions, assignees } = manual
  const written = {
    title,
    ...(instructions === undefined ? {} : { instructions }),
    ...(assignees === undefined || assignees.length === 0 ? {} : { assignees }),
  }
  if (!hasMappedTexts(manual)) return ok(written)
  const needs = mappingNeeds(written)
  const mapped = needs.ok ? mapValue(written, await slotRoots(at, needs.value)) : needs
  // `mapValue` keeps the shape; only texts that were one whole `${…}` may have become other values.
  return mapped.ok ? asTexts(mapped.value as { readonly [field: string]: Json }) : mapped
}

/** Of a task that is open, as its attempt began with it. */
export async function openTaskTexts(
  store: RunStore,
  run: LoadedRun,
  unit: Unit,
  manual: Manual,
): Promise<Result<TaskTexts>> {
  const at = { store, run, state: run.state, unit, seq: unit.inputSeq, outputsUpTo: unit.inputSeq }
  return taskTexts(manual, { ...at, attempt: unit.attempt })
}

function asTexts(mapped: { readonly [field: string]: Json }): Result<TaskTexts> {
  const title = asText(mapped['title'])
  if (title === undefined || title === '') return invalid('manual.title gives no text')
  const instructions = asText(mapped['instructions'])
  if ('instructions' in mapped && instructions === undefined) return invalid('manual.instructions gives no text')
  const people = 'assignees' in mapped ? asPeople(mapped['assignees'] ?? null) : ok(undefined)
  if (!people.ok) return people
  return ok({
    title,
    ...(instructions === undefined ? {} : { instructions }),
    ...(people.value === undefined ? {} : { assignees: people.value }),
  })
}

function asText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** An entry that is one whole `${…}` may give a list of people. */
function asPeople(value: Json): Result<readonly string[]> {
  const people = (value as readonly Json[]).flat()
  const wrong = people.find((one) => typeof one !== 'string' || one === '' || one.length > NAME_CHARS)
  if (wrong !== undefined || people.length === 0)
    return invalid('manual.assignees gives nobody, or something that is not the name of a person')
  return ok(people as readonly string[])
}

function invalid(message: string): Result<never> {
  return refused(problem('INPUT_INVALID', message))
}
