/** What is handed over for a route, with the types of its row in the table, and the request that is made of it. */
import type { BodyOf, Contract, ParamsOf, QueryOf } from '../core/api/contract.ts'
import { pathNames } from '../core/api/contract.ts'
import { fail } from '../core/problems/problem.ts'

type Part<N extends string, T> = [T] extends [undefined]
  ? { readonly [K in N]?: undefined }
  : Partial<T> extends T
    ? { readonly [K in N]?: T }
    : { readonly [K in N]: T }

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Gives the request up; it may have been carried out by then. */
  readonly signal?: AbortSignal
}

export type CallGiven<C extends Contract> = Part<'params', ParamsOf<C>> &
  Part<'query', QueryOf<C>> &
  Part<'body', BodyOf<C>> &
  CallOptions

/** Left out where a route needs nothing. */
export type CallArguments<C extends Contract> =
  Partial<CallGiven<C>> extends CallGiven<C> ? [given?: CallGiven<C>] : [given: CallGiven<C>]

/** The same without the types of one route. */
export interface AnyGiven extends CallOptions {
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
}

/** Path and query. */
export function addressOf(contract: Contract, { params, query }: AnyGiven): string {
  const values = (params ?? {}) as Readonly<Record<string, unknown>>
  const path = pathNames(contract).reduce((made, name) => {
    const value = values[name]
    // An empty part would be another route.
    if (typeof value !== 'string' || value === '')
      return fail('OPTION_INVALID', `${contract.id}: params need '${name}'`)
    return made.replace(`{${name}}`, () => segmentOf(value, name))
  }, contract.path as string)
  const search = searchOf((query ?? {}) as Readonly<Record<string, unknown>>)
  return search === '' ? path : `${path}?${search}`
}

/** A part of a path that is only dots would be taken for a way up. */
function segmentOf(value: string, name: string): string {
  if (/^\.{1,2}$/.test(value)) return fail('OPTION_INVALID', `'${value}' cannot be sent as ${name}`)
  return encodeURIComponent(value)
}

/** A list is sent as one pair for each of its texts. */
function searchOf(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value])
      if (one !== undefined) search.append(name, String(one))
  return search.toString()
}
