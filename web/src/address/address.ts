/**
 * Where the page is: its address is the only place where filters, selection and the time cursor are kept, so that a link shows a
 * colleague exactly what one sees.
 */
import { useSyncExternalStore } from 'react'
import { PAGE_PATHS, type PageName } from '../../../src/core/api/page.ts'
import { pagePlace, type PagePlace } from './place.ts'

export interface Address {
  /** Undefined: no page has this address. */
  readonly place: PagePlace | undefined
  readonly query: URLSearchParams
}

/** The path of a page, its names filled in. */
export function pathOf(page: PageName, names: Readonly<Record<string, string>> = {}): string {
  return PAGE_PATHS[page].replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ''))
}

export const RUNS = pathOf('runs')
export const PLANS = pathOf('plans')
export const runPath = (executionId: string): string => pathOf('run', { executionId })
/** `from`: the step that is done again; `atSeq`: results up to this event alone. */
export const forkPath = (executionId: string, from: Readonly<Record<string, string>> = {}): string =>
  withQuery(pathOf('fork', { executionId }), from)
export const comparePath = (executionId: string, other?: string): string =>
  withQuery(pathOf('compare', { executionId }), other === undefined ? {} : { with: other })
const TASKS = pathOf('tasks')
/** The task of a step of a run. */
export const taskPath = (executionId: string, task: string): string =>
  `${TASKS}?${new URLSearchParams({ run: executionId, task }).toString()}`
export const operationPath = (operationId: string): string => pathOf('operation', { operationId })
/** The plan, at one of its versions where one is given. */
export const planPath = (planId: string, version?: string): string => pathOf('plan', { planId }) + queryOf({ version })
/** Where a run is begun; `from` is a run whose input is taken over. */
export const startPath = (planId: string, asked: { readonly version?: string; readonly from?: string } = {}): string =>
  pathOf('start', { planId }) + queryOf(asked)
export const planDiffPath = (planId: string, from: string, to: string): string =>
  pathOf('planDiff', { planId }) + queryOf({ from, to })
/** Of a developer's server alone. */
export const editorPath = (plan: { readonly plan?: string; readonly version?: string } = {}): string =>
  pathOf('editor') + queryOf(plan)

function queryOf(names: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(names).filter((one): one is [string, string] => one[1] !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}

function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(query).toString()
  return search === '' ? path : `${path}?${search}`
}

/** A saved view of the list: its filter stands in the link, so that the link means the same for everybody. */
export const viewPath = (viewId: string, filter: string): string =>
  `${RUNS}?${new URLSearchParams({ ...(filter === '' ? {} : { q: filter }), view: viewId }).toString()}`

/**
 * Where the page is now. The browser's own address follows a moment later when it changes often: browsers refuse to change it more
 * than a few times a second, and a cursor that is dragged moves with every picture.
 */
let here = new URL(window.location.href)
let writing: ReturnType<typeof setTimeout> | undefined
const watchers = new Set<() => void>()
const WRITE_MS = 200

window.addEventListener('popstate', () => {
  stopWriting()
  move(new URL(window.location.href))
})

function move(to: URL): void {
  here = to
  for (const told of watchers) told()
}

function subscribe(told: () => void): () => void {
  watchers.add(told)
  return () => void watchers.delete(told)
}

export function useAddress(): Address {
  const { pathname, searchParams } = useSyncExternalStore(subscribe, () => here)
  return { place: pagePlace(pathname), query: searchParams }
}

/** A step that the browser can go back from; to where one is already it is none, as for any link. */
export function goTo(address: string): void {
  writeNow()
  if (new URL(address, here).href === here.href) return
  window.history.pushState(null, '', address)
  move(new URL(window.location.href))
}

/** Changes parts of the query; `undefined` removes one. What moves often, such as the cursor, makes no step to go back to. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>, how: 'step' | 'quiet' = 'quiet'): void {
  const url = new URL(here)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  if (url.href === here.href) return
  if (how === 'step') return goTo(url.href)
  move(url)
  writing ??= setTimeout(writeNow, WRITE_MS)
}

/** What is to be written anew begins to wait anew. */
function stopWriting(): void {
  clearTimeout(writing)
  writing = undefined
}

function writeNow(): void {
  stopWriting()
  if (window.location.href !== here.href) window.history.replaceState(null, '', here)
}
