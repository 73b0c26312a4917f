/**
 * The one selection and the one time cursor of the run page, both in the address: `?at=41&step=pack&tab=why`. Without `at` the page
 * is at now, and goes on with the run.
 */
import { setQuery, useAddress } from '../address/address.ts'

export type Tab = 'why' | 'input' | 'output' | 'attempts' | 'items' | 'artifacts' | 'event' | 'try' | 'raw'

export interface Moment {
  /** The number of the event that everything is shown after. */
  readonly seq: number
  readonly isNow: boolean
  /** The selected step, item or fallback. */
  readonly step: string | undefined
  readonly tab: Tab
}

const TABS: ReadonlySet<string> = new Set<Tab>([
  'why',
  'input',
  'output',
  'attempts',
  'items',
  'artifacts',
  'event',
  'try',
  'raw',
])

export function useMoment(lastSeq: number): Moment {
  const { query } = useAddress()
  const asked = Number(query.get('at') ?? 'none')
  const isNow = !Number.isInteger(asked) || asked < 0
  const tab = query.get('tab') ?? 'why'
  return {
    seq: isNow ? lastSeq : Math.min(asked, lastSeq),
    isNow,
    step: query.get('step') ?? undefined,
    tab: TABS.has(tab) ? (tab as Tab) : 'why',
  }
}

/** `undefined`: now. */
export function goToEvent(seq: number | undefined): void {
  setQuery({ at: seq === undefined ? undefined : String(seq) })
}

export function selectStep(step: string | undefined): void {
  setQuery({ step })
}

export function openTab(tab: Tab): void {
  setQuery({ tab })
}

/** An expression goes into the field where expressions are tried. */
export function tryOut(expr: string): void {
  setQuery({ tab: 'try', expr })
}
