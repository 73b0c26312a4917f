/**
 * Where the page is: its address is the only place where filters, selection and the time cursor are kept, so that a link shows a
 * colleague exactly what one sees.
 */
import { useSyncExternalStore } from 'react'

export type Place =
  | { readonly page: 'runs' }
  | { readonly page: 'run'; readonly executionId: string }
  | { readonly page: 'plans' }
  | { readonly page: 'start'; readonly planId: string }
  | { readonly page: 'unknown' }

export interface Address {
  readonly place: Place
  readonly query: URLSearchParams
}

export const RUNS = '/'
export const PLANS = '/plans'
export const runPath = (executionId: string): string => `/runs/${encodeURIComponent(executionId)}`
export const planPath = (planId: string): string => `/plans/${encodeURIComponent(planId)}`

/** The browser tells of its own moves (back, forward), not of those that a program makes. */
const MOVED = 'keelson:moved'

function placeOf(path: string): Place {
  if (path === RUNS) return { page: 'runs' }
  if (path === PLANS) return { page: 'plans' }
  const [, folder, name = '', ...rest] = path.split('/')
  if (name === '' || rest.length > 0) return { page: 'unknown' }
  if (folder === 'runs') return { page: 'run', executionId: decodeURIComponent(name) }
  return folder === 'plans' ? { page: 'start', planId: decodeURIComponent(name) } : { page: 'unknown' }
}

function subscribe(told: () => void): () => void {
  window.addEventListener('popstate', told)
  window.addEventListener(MOVED, told)
  return () => {
    window.removeEventListener('popstate', told)
    window.removeEventListener(MOVED, told)
  }
}

export function useAddress(): Address {
  const href = useSyncExternalStore(subscribe, () => window.location.href)
  const { pathname, searchParams } = new URL(href)
  return { place: placeOf(pathname), query: searchParams }
}

export function goTo(address: string): void {
  window.history.pushState(null, '', address)
  window.dispatchEvent(new Event(MOVED))
}

/** Changes parts of the query; `undefined` removes one. What moves often, such as the cursor, makes no step to go back to. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>, how: 'step' | 'quiet' = 'quiet'): void {
  const url = new URL(window.location.href)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  if (url.href === window.location.href) return
  if (how === 'step') window.history.pushState(null, '', url)
  else window.history.replaceState(null, '', url)
  window.dispatchEvent(new Event(MOVED))
}
