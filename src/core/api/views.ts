/** Routes of views of the list of runs that people saved. */
import { LIMITS } from '../limits.ts'
import { list, object, oneOf, optional, text } from '../schema/shape.ts'
import { route } from './contract.ts'
import { answer } from './words.ts'

const viewShape = answer({
  viewId: text(),
  name: text(),
  filter: text(),
  for: oneOf('me', 'tenant'),
  ownerId: text(),
  savedAt: text(),
})

const viewParams = object({ viewId: text({ min: 1, max: LIMITS.viewIdChars, pattern: '^[A-Za-z0-9_-]+$' }) })
const removed = answer({ viewId: text(), removed: oneOf('yes') })

export const listViews = route({
  id: 'listViews',
  method: 'GET',
  path: '/v1/views',
  tag: 'views',
  about: "Views of the list of runs: the caller's own, and those that others of the tenant share.",
  access: 'RUN_READ_STATUS',
  answers: { 200: { about: 'The views, by name.', body: answer({ views: list(viewShape) }) } },
})

export const saveView = route({
  id: 'saveView',
  method: 'PUT',
  path: '/v1/views/{viewId}',
  tag: 'views',
  about:
    "Saves a view: a name and a filter as it is typed. With `for: tenant` everybody of the tenant sees it. Only who made it changes it; another person's is refused.",
  access: 'RUN_READ_STATUS',
  params: viewParams,
  body: object({
    name: text({ min: 1, max: LIMITS.viewNameChars }),
    filter: text({ max: LIMITS.viewFilterChars }),
    for: optional(oneOf('me', 'tenant')),
  }),
  answers: { 200: { about: 'The view as it is now.', body: viewShape } },
})

export const removeView = route({
  id: 'removeView',
  method: 'DELETE',
  path: '/v1/views/{viewId}',
  tag: 'views',
  about: "Removes a view of the caller's own.",
  access: 'RUN_READ_STATUS',
  params: viewParams,
  answers: { 200: { about: 'It is gone.', body: removed } },
})

export const removeSharedView = route({
  id: 'removeSharedView',
  method: 'DELETE',
  path: '/v1/shared-views/{viewId}',
  tag: 'views',
  about: 'Removes a view that is shared with the tenant, whoever made it.',
  access: 'RBAC_ROLE_ASSIGN',
  params: viewParams,
  answers: { 200: { about: 'It is gone.', body: removed } },
})
