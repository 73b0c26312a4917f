/**
 * The texts of a manual task, mapped over what its slot sees: who is asked, and for what. They are derived from the
 * log, so every reader gets the same (P-17): variables and outputs as at the start of the task, the input with every
 * change up to now, because an approval is bound to that input and releases work on it. If the assignees cannot be
 * computed, the task is refused, never open to anybody: an empty list in the plan means anybody, an empty value does
 * not.
 */
import { LIMITS } from '../../core/limits.ts'
import { hasMappedTexts, type Json, type ManualAction } from '../../core/plan/plan.ts'
import { problem } from '../../core/problems/problem.ts'
import { ok, refused, type Result } from '../../core/result.ts'
import { mappingNeeds, mapValue } from '../expressions/map-input.ts'
import { slotRoots, type RootsAt } from './slot-roots.ts'

type Manual = ManualAction['manual']
export type OpenTaskAt = Pick<RootsAt, 'store' | 'run' | 'state' | 'unit' | 'append'>

export interface TaskTexts {
  readonly title: string
  readonly instructions?: string
  /** Absent when anybody may do the task. */
  readonly assignees?: readonly string[]
}

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

/**
 * For an open task, in the state that is shown or judged; with the append in progress where that holds a part of it.
 */
export async function openTaskTexts(at: OpenTaskAt, manual: Manual): Promise<Result<TaskTexts>> {
  const { inputSeq, attempt } = at.unit
  return taskTexts(manual, { ...at, seq: inputSeq, outputsUpTo: inputSeq, inputUpTo: at.state.seq, attempt })
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
  const wrong = people.find((one) => typeof one !== 'string' || one === '' || one.length > LIMITS.nameBytes)
  if (wrong !== undefined || people.length === 0)
    return invalid('manual.assignees gives nobody, or something that is not the name of a person')
  return ok(people as readonly string[])
}

function invalid(message: string): Result<never> {
  return refused(problem('INPUT_INVALID', message))
}
