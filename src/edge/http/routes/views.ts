/** Views of the list of runs that people saved. What nobody else sees is counted in the audit log, and not recorded one by one. */
import * as api from '../../../core/api/views.ts'
import { isoFromMs } from '../../../core/time.ts'
import type { ViewChange } from '../../../library/act/saved-views.ts'
import { viewsFor } from '../../../library/behalf/views-for.ts'
import type { SavedView } from '../../../ports/views.ts'
import { bind, type BoundRoute, type Reply } from '../serve/bound-route.ts'

export const VIEWS: readonly BoundRoute[] = [
  bind(api.listViews, async ({ keelson }) => ({ body: { views: (await viewsFor(keelson).list()).map(shownView) } })),
  bind(api.saveView, async ({ keelson, params, body }) => {
    const change = await viewsFor(keelson).save({ ...body, viewId: params.viewId })
    return { body: shownView(change.view), ...noted(change) }
  }),
  bind(api.removeView, async ({ keelson, params }) => gone(await viewsFor(keelson).remove(params.viewId))),
  bind(api.removeSharedView, async ({ keelson, params }) => gone(await viewsFor(keelson).removeShared(params.viewId))),
]

function gone(change: ViewChange): Reply {
  return { body: { viewId: change.view.viewId, removed: 'yes' }, ...noted(change) }
}

function noted({ view, isOthers }: ViewChange): Pick<Reply, 'target' | 'isQuiet'> {
  return { target: view.viewId, isQuiet: !isOthers }
}

function shownView({ viewId, name, filter, isShared, ownerId, savedAt }: SavedView): object {
  return { viewId, name, filter, for: isShared ? 'tenant' : 'me', ownerId, savedAt: isoFromMs(savedAt) }
}
