/** Routes of the process itself: is it alive, does it work, what does it measure, what can be asked of it. */
import { flag, list, object, oneOf, optional, text } from '../schema/shape.ts'
import { route } from './contract.ts'
import { answer, fields } from './words.ts'

export const getHealth = route({
  id: 'getHealth',
  method: 'GET',
  path: '/healthz',
  tag: 'process',
  about: 'The process answers. It says nothing about its work.',
  access: 'anyone',
  answers: { 200: { about: 'It is alive.', body: answer({ status: oneOf('ok') }) } },
})

const duties = answer({ status: oneOf('ready', 'not ready'), duties: fields })

export const getReadiness = route({
  id: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  tag: 'process',
  about: 'Whether each duty of the process does its work.',
  access: 'anyone',
  answers: { 200: { about: 'All of them do.', body: duties }, 503: { about: 'One does not.', body: duties } },
})

export const getMetrics = route({
  id: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  tag: 'process',
  about: 'Counters and durations in the text format of Prometheus. No label names a run.',
  access: 'anyone',
  answers: { 200: { about: 'The metrics.', body: text(), type: 'text/plain; version=0.0.4' } },
})

export const getOpenApi = route({
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  tag: 'process',
  about: 'This interface as an OpenAPI 3.1 document.',
  access: 'anyone',
  answers: { 200: { about: 'The document.', body: fields } },
})

export const whoAmI = route({
  id: 'whoAmI',
  method: 'GET',
  path: '/v1/me',
  tag: 'process',
  about:
    'Whom the server takes the caller for, and what that principal may do. `dev`: it is a server for development, which runs plans in a body.',
  access: 'TENANT_READ',
  answers: {
    200: {
      about: 'The principal.',
      body: answer({
        tenantId: text(),
        actorId: text(),
        kind: text(),
        roles: list(text()),
        actions: list(text()),
        displayName: optional(text()),
        sessionEndsAt: optional(text()),
        dev: optional(flag()),
      }),
    },
  },
})

const apiKey = answer({
  keyId: text(),
  actorId: text(),
  roles: list(text()),
  createdAt: text(),
  createdBy: text(),
  displayName: optional(text()),
  expiresAt: optional(text()),
  revokedAt: optional(text()),
  lastUsedAt: optional(text()),
})

export const listKeys = route({
  id: 'listKeys',
  method: 'GET',
  path: '/v1/keys',
  tag: 'keys',
  about: 'API keys of the tenant, without their secrets.',
  access: 'RBAC_ROLE_ASSIGN',
  answers: { 200: { about: 'The keys.', body: answer({ keys: list(apiKey) }) } },
})

export const createKey = route({
  id: 'createKey',
  method: 'POST',
  path: '/v1/keys',
  tag: 'keys',
  about: 'Makes an API key of the tenant that acts as whoever makes it. The answer shows it once.',
  access: 'RBAC_ROLE_ASSIGN',
  body: object({
    actorId: optional(text({ min: 1, max: 255 })),
    roles: list(text({ min: 1, max: 64 }), { max: 8 }),
    displayName: optional(text({ max: 255 })),
    expiresAt: optional(text({ max: 64 })),
  }),
  answers: { 201: { about: 'The key.', body: answer({ keyId: text(), key: text() }) } },
})

export const revokeKey = route({
  id: 'revokeKey',
  method: 'DELETE',
  path: '/v1/keys/{keyId}',
  tag: 'keys',
  about: 'Revokes an API key: from now on it is refused.',
  access: 'RBAC_ROLE_ASSIGN',
  params: object({ keyId: text({ min: 1, max: 64 }) }),
  answers: { 200: { about: 'It is revoked.', body: answer({ keyId: text(), revokedAt: text() }) } },
})
