/**
 * The filter of the list as people type it: `status:failed plan:order since:24h label:team=ops` and words. What has a name is
 * asked of the server; words narrow what has been loaded, by id, plan and person.
 */
import type { ExecutionState } from '../../../src/client/connect.ts'
import { RUN_STATUSES, type RunStatusName } from '../shown/states.ts'

export interface Filter {
  readonly statuses: readonly RunStatusName[]
  readonly planId: string | undefined
  readonly since: string | undefined
  readonly labels: readonly string[]
  readonly words: readonly string[]
  /** Parts that mean nothing here. */
  readonly unknown: readonly string[]
}

const NAMED = /^([a-z]+):(.*)$/

export function readFilter(text: string): Filter {
  const filter = {
    statuses: [] as RunStatusName[],
    planId: undefined as string | undefined,
    since: undefined as string | undefined,
    labels: [] as string[],
    words: [] as string[],
    unknown: [] as string[],
  }
  for (const part of text.split(/\s+/).filter((one) => one !== '')) {
    const [, name, value = ''] = NAMED.exec(part) ?? []
    const status = RUN_STATUSES.find((one) => one === value.toUpperCase())
    if (name === undefined) filter.words.push(part.toLowerCase())
    else if (name === 'status' && status !== undefined) filter.statuses.push(status)
    else if (name === 'plan' && value !== '') filter.planId = value
    else if (name === 'since' && value !== '') filter.since = value
    else if (name === 'label' && value.includes('=')) filter.labels.push(value)
    else filter.unknown.push(part)
  }
  return filter
}

/** The text with a status in it, or without it where it was. */
export function toggleStatus(text: string, status: RunStatusName): string {
  const parts = text.split(/\s+/).filter((one) => one !== '')
  const part = `status:${status.toLowerCase()}`
  const others = parts.filter((one) => one.toLowerCase() !== part)
  return (others.length < parts.length ? others : [...parts, part]).join(' ')
}

export interface Asked {
  readonly status?: readonly RunStatusName[]
  readonly planId?: string
  readonly createdFrom?: string
  readonly label?: readonly string[]
}

/** What the server is asked for. */
export function askedOf({ statuses, planId, since, labels }: Filter): Asked {
  return {
    ...(statuses.length === 0 ? {} : { status: statuses }),
    ...(planId === undefined ? {} : { planId }),
    ...(since === undefined ? {} : { createdFrom: since }),
    ...(labels.length === 0 ? {} : { label: labels }),
  }
}

export function hasWords({ executionId, planId, triggeredBy = '' }: ExecutionState, words: readonly string[]): boolean {
  const text = `${executionId} ${planId} ${triggeredBy}`.toLowerCase()
  return words.every((word) => text.includes(word))
}
