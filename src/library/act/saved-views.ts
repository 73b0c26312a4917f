/** Views of the list of runs that a person saved, and those that others of the tenant share. Only who made one changes it. */
import type { Principal } from '../../app/principal.ts'
import { readRunFilter } from '../../core/filter/run-filter.ts'
import { needKnown, type OptionNames } from '../../core/known-options.ts'
import { LIMITS } from '../../core/limits.ts'
import { needText, oneOf, TEXT } from '../../core/option-kinds.ts'
import { fail } from '../../core/problems/problem.ts'
import type { SavedView } from '../../ports/views.ts'
import type { Parts } from '../parts.ts'

export interface ViewOptions {
  /** Letters, digits, `-` and `_`; the view is replaced if there is one. */
  readonly viewId: string
  readonly name: string
  /** As it is typed: `status:failed since:24h`. */
  readonly filter: string
  /** Who sees it: oneself, or the whole tenant. Default `me`. */
  readonly for?: 'me' | 'tenant'
}

/** What a change was about: whether anybody else saw the view before or sees it now. */
export interface ViewChange {
  readonly view: SavedView
  readonly isOthers: boolean
}

const VIEW: OptionNames<ViewOptions> = { viewId: TEXT, name: TEXT, filter: TEXT, for: oneOf('me', 'tenant') }
const VIEW_ID = /^[A-Za-z0-9_-]+$/

export class SavedViews {
  readonly #parts: Parts
  readonly #principal: Principal

  constructor(parts: Parts) {
    this.#parts = parts
    this.#principal = parts.principal
  }

  /** One's own and the shared ones, by name. */
  async list(): Promise<readonly SavedView[]> {
    const { tenantId, actorId } = this.#principal
    const views = await this.#parts.services.store.listViews(tenantId, actorId)
    return [...views].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  }

  async save(options: ViewOptions): Promise<ViewChange> {
    needKnown('views.save', options, VIEW)
    needView(options)
    const { store, clock } = this.#parts.services
    const { tenantId, actorId } = this.#principal
    const { viewId, name, filter } = options
    const isShared = options.for === 'tenant'
    const views = await store.listViews(tenantId, actorId)
    const before = views.find((one) => one.viewId === viewId)
    needRoom(views, before, { actorId, isShared })
    const view = { tenantId, viewId, ownerId: actorId, isShared, name: name.trim(), filter, savedAt: clock.now() }
    if (!(await store.putView(view)))
      fail('AUTHZ_DENIED', `the view '${viewId}' is another person's: save it under an id of your own`)
    return { view, isOthers: isShared || before?.isShared === true }
  }

  /** Of another person's view one is told only that there is none. */
  async remove(viewId: string): Promise<ViewChange> {
    return this.#remove(viewId, ({ ownerId }) => ownerId === this.#principal.actorId)
  }

  /** For whoever looks after the tenant: takes a shared view away, whoever made it. */
  async removeShared(viewId: string): Promise<ViewChange> {
    return this.#remove(viewId, ({ isShared }) => isShared)
  }

  async #remove(viewId: string, isMeant: (view: SavedView) => boolean): Promise<ViewChange> {
    needText('views.remove: the id', viewId)
    const { store } = this.#parts.services
    const { tenantId } = this.#principal
    const view = await store.findView(tenantId, viewId)
    if (view === undefined || !isMeant(view) || !(await store.removeView(tenantId, viewId)))
      return fail('VIEW_NOT_FOUND', `there is no view '${viewId}' of yours`)
    return { view, isOthers: view.isShared }
  }
}

function needView({ viewId, name, filter }: ViewOptions): void {
  needText('views.save: the id', viewId)
  if (!VIEW_ID.test(viewId) || viewId.length > LIMITS.viewIdChars)
    fail('VIEW_INVALID', `an id has letters, digits, - and _, and at most ${LIMITS.viewIdChars} of them`)
  if (name.trim() === '' || name.length > LIMITS.viewNameChars || !name.isWellFormed())
    fail('VIEW_INVALID', `a name has 1 to ${LIMITS.viewNameChars} characters`)
  if (filter.length > LIMITS.viewFilterChars || !filter.isWellFormed())
    fail('VIEW_INVALID', `a filter has at most ${LIMITS.viewFilterChars} characters`)
  const [unknown] = readRunFilter(filter).unknown
  if (unknown !== undefined) fail('VIEW_INVALID', `the filter is not understood: ${unknown.part}; ${unknown.why}`)
}

/** Two requests of one moment may both find the last place free: the limits keep lists short, and guard nothing. */
function needRoom(
  views: readonly SavedView[],
  before: SavedView | undefined,
  { actorId, isShared }: { readonly actorId: string; readonly isShared: boolean },
): void {
  const own = views.filter(({ ownerId }) => ownerId === actorId).length
  if (before === undefined && own >= LIMITS.viewsOfPerson)
    fail('VIEW_INVALID', `a person has at most ${LIMITS.viewsOfPerson} views`)
  const shared = views.filter((one) => one.isShared).length
  if (isShared && before?.isShared !== true && shared >= LIMITS.viewsShared)
    fail('VIEW_INVALID', `a tenant shares at most ${LIMITS.viewsShared} views`)
}
