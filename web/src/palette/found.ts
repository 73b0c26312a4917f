/** What a text finds: recent things first, then what can be done here, steps, runs, plans and pages. */
import type { ExecutionState, PublishedPlan } from '../../../src/client/connect.ts'
import { readRunFilter } from '../../../src/core/filter/run-filter.ts'
import { goTo, pathOf, planPath, runPath } from '../address/address.ts'
import { visits } from '../address/visited.ts'
import type { Offered } from '../keys/offered.ts'
import { NAMED_PAGES } from '../keys/page-keys.ts'
import { runLook } from '../shown/states.ts'
import { shortId } from '../shown/words.ts'

export interface Found {
  /** Unique among all that is found. */
  readonly id: string
  readonly words: string
  readonly detail?: string | undefined
  readonly keys?: string | undefined
  readonly whyNot?: string | undefined
  readonly go: () => void
}

export interface FoundGroup {
  readonly title: string
  readonly found: readonly Found[]
}

export interface Sources {
  readonly offers: readonly Offered[]
  /** The last runs, and those that the text asked the server for. */
  readonly runs: readonly ExecutionState[]
  /** Of these, what the server chose by the text: its words need not be in what is shown of a run. */
  readonly chosen: ReadonlySet<string>
  readonly plans: readonly PublishedPlan[]
}

const MOST_OF_GROUP = 8

export function findAll(text: string, { offers, runs, chosen, plans }: Sources): readonly FoundGroup[] {
  const { asked, words } = readRunFilter(text)
  // Named parts such as `label:team=ops` mean runs, and which, the server says.
  if (Object.keys(asked).length > 0)
    return [{ title: 'Runs', found: runs.filter(({ executionId }) => chosen.has(executionId)).map(runFound) }].filter(
      hasAny,
    )
  const recent = visits().map(({ href, words: name, detail }) => linkTo(href, name, detail))
  const known = new Set(recent.filter((one) => fits(one, words)).map(({ id }) => id))
  const fresh = (found: readonly Found[]): readonly Found[] => found.filter(({ id }) => !known.has(id))
  const ofRuns = runs.filter((run) => chosen.has(run.executionId) || fits(runFound(run), words)).map(runFound)
  const groups = [
    { title: 'Recent', found: recent.filter((one) => fits(one, words)) },
    { title: 'Here', found: offeredAs('act', offers).filter((one) => fits(one, words)) },
    { title: 'Steps of this run', found: offeredAs('step', offers).filter((one) => fits(one, words)) },
    { title: 'Runs', found: fresh(ofRuns) },
    { title: 'Plans', found: fresh(plans.map(planFound)).filter((one) => fits(one, words)) },
    { title: 'Pages', found: NAMED_PAGES.map(pageFound).filter((one) => fits(one, words)) },
  ]
  return groups.map(({ title, found }) => ({ title, found: found.slice(0, MOST_OF_GROUP) })).filter(hasAny)
}

const hasAny = ({ found }: FoundGroup): boolean => found.length > 0

function fits({ words, detail = '', id }: Found, wanted: readonly string[]): boolean {
  const text = `${words} ${detail} ${id}`.toLowerCase()
  return wanted.every((word) => text.includes(word))
}

function linkTo(href: string, words: string, detail: string): Found {
  return { id: href, words, detail, go: () => goTo(href) }
}

function runFound({ executionId, planId, status, triggeredBy }: ExecutionState): Found {
  const by = triggeredBy === undefined ? '' : ` by ${triggeredBy}`
  return linkTo(runPath(executionId), planId, `${shortId(executionId)} ${runLook(status).word}${by}`)
}

function planFound({ planId, planVersion }: PublishedPlan): Found {
  return linkTo(planPath(planId), planId, `plan ${planVersion}`)
}

function pageFound({ page, words, key }: (typeof NAMED_PAGES)[number]): Found {
  const keys = key === undefined ? undefined : `g ${key}`
  return { ...linkTo(pathOf(page), words, 'page'), keys }
}

function offeredAs(kind: Offered['kind'], offers: readonly Offered[]): readonly Found[] {
  return offers
    .filter((one) => one.kind === kind)
    .map(({ words, detail, whyNot, go }) => ({ id: `${kind} ${words} ${detail ?? ''}`, words, detail, whyNot, go }))
}
