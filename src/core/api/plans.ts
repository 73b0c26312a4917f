/** Routes of plans: publish, list, read, draw, compare. */
import { anything, flag, integer, list, object, oneOf, optional, plainText, text } from '../schema/shape.ts'
import { route } from './contract.ts'
import { answer, cursor, fields, pageSize } from './words.ts'

const planId = text({ pattern: '^[A-Za-z0-9_.-]{1,128}$' })
const planVersion = text({ pattern: '^[A-Za-z0-9_.-]{1,128}$' })
const version = answer({ planId: text(), planVersion: text(), sha256: text(), publishedAt: optional(text()) })

export const publishPlan = route({
  id: 'publishPlan',
  method: 'PUT',
  path: '/v1/plans',
  tag: 'plans',
  about:
    'Publishes a plan: as a document, or as the text of its file (YAML or JSON), whose problems are then told by line.',
  access: 'PLAN_CREATE',
  body: object({
    plan: optional(fields),
    // Read with the place of what is wrong in it.
    text: optional(plainText(8 * 1024 * 1024)),
    file: optional(text({ max: 255 })),
    check: optional(flag()),
  }),
  answers: { 200: { about: 'It is published; with `check` it would be.', body: version } },
})

export const listPlans = route({
  id: 'listPlans',
  method: 'GET',
  path: '/v1/plans',
  tag: 'plans',
  about: 'Published plans with their newest version.',
  access: 'PLAN_READ',
  query: object({ limit: optional(pageSize), cursor: optional(cursor) }),
  answers: { 200: { about: 'A page of plans.', body: answer({ plans: list(version), next: optional(text()) }) } },
})

export const listPlanVersions = route({
  id: 'listPlanVersions',
  method: 'GET',
  path: '/v1/plans/{planId}/versions',
  tag: 'plans',
  about: 'The versions of a plan, newest first.',
  access: 'PLAN_READ',
  params: object({ planId }),
  answers: { 200: { about: 'Its versions.', body: answer({ versions: list(version) }) } },
})

const which = object({ version: optional(planVersion), sha256: optional(text({ pattern: '^[0-9a-f]{64}$' })) })

export const getPlan = route({
  id: 'getPlan',
  method: 'GET',
  path: '/v1/plans/{planId}',
  tag: 'plans',
  about: 'A published plan: its newest version, or the one that is named.',
  access: 'PLAN_READ',
  params: object({ planId }),
  query: which,
  headers: ['If-None-Match'],
  answers: {
    200: {
      about: 'The compiled plan.',
      body: answer({ planId: text(), planVersion: text(), sha256: text(), plan: fields, inputs: optional(anything()) }),
    },
  },
})

export const getPlanGraph = route({
  id: 'getPlanGraph',
  method: 'GET',
  path: '/v1/plans/{planId}/graph',
  tag: 'plans',
  about: 'The steps of a plan with their kinds, layers and what each waits for.',
  access: 'PLAN_READ',
  params: object({ planId }),
  query: which,
  answers: {
    200: {
      about: 'The graph.',
      body: answer({
        planId: text(),
        planVersion: text(),
        sha256: text(),
        steps: list(answer({ stepId: text(), kind: text(), layer: integer({ min: 1 }), after: list(text()) })),
      }),
    },
  },
})

export const diffPlanVersions = route({
  id: 'diffPlanVersions',
  method: 'GET',
  path: '/v1/plans/{planId}/diff',
  tag: 'plans',
  about: 'What changed between two versions of a plan, and the runs in flight of either.',
  access: 'PLAN_READ',
  params: object({ planId }),
  query: object({ from: planVersion, to: planVersion }),
  answers: {
    200: {
      about: 'The difference.',
      body: answer({ from: text(), to: text(), changes: fields, executions: list(fields) }),
    },
  },
})

export const getPlanByHash = route({
  id: 'getPlanByHash',
  method: 'GET',
  path: '/v1/plans/by-hash/{sha256}',
  tag: 'plans',
  about: 'A plan by its hash, published or not: what a run of the tenant was started from.',
  access: 'PLAN_READ',
  params: object({ sha256: text({ pattern: '^[0-9a-f]{64}$' }) }),
  query: object({ as: optional(oneOf('plan')) }),
  answers: { 200: { about: 'The compiled plan.', body: answer({ sha256: text(), plan: fields }) } },
})
