/** The pages that are opened by their name alone: what they are called, and by which key after `g`. */
import { PAGE_PATHS, type PageName } from '../../../src/core/api/page.ts'

export interface NamedPage {
  readonly page: PageName
  readonly words: string
  readonly key?: string | undefined
}

const WORDS: { readonly [page in PageName]?: readonly [words: string, key?: string] } = {
  runs: ['Runs', 'r'],
  tasks: ['Tasks', 't'],
  plans: ['Plans', 'p'],
  operations: ['Operations', 'o'],
  apiKeys: ['Keys of the interface', 'k'],
  bundle: ['Bundle from a file', 'b'],
  queue: ['Queue', 'q'],
  pools: ['Pools and limits', 'l'],
  engines: ['Engines', 'e'],
  schedules: ['Schedules', 's'],
  triggers: ['Triggers', 'i'],
  alerts: ['Alerts', 'a'],
  feed: ['Feed', 'f'],
  audit: ['Audit', 'u'],
}
/** Opened from the plans, and on a server for development alone. */
const NOT_BY_NAME: ReadonlySet<PageName> = new Set(['editor'])

export const NAMED_PAGES: readonly NamedPage[] = (Object.keys(PAGE_PATHS) as PageName[])
  .filter((page) => !PAGE_PATHS[page].includes('{') && !NOT_BY_NAME.has(page))
  .map((page) => {
    const [words = page, key] = WORDS[page] ?? []
    return { page, words, key }
  })
