/** What a server says of an address that it cannot have, of a method that a route does not take, and of a tenant that is not there. */
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { roleRules } from '../../src/app/identity/role-rules.ts'
import { openServer } from '../../src/edge/http/server.ts'
import { keelsonHere } from '../e2e/in-process.ts'
import { testFolder } from '../fixtures/folder.ts'
import { refusal } from '../fixtures/refusal.ts'
import { served } from './served.ts'

it('an address for other methods says which [API-13]', async () => {
  await using server = await served()
  const { status, headers, body } = await server.call('DELETE /v1/executions')
  expect({ status, allow: headers.get('allow'), code: body.error.code }).toEqual({
    status: 405,
    allow: 'POST, GET',
    code: 'METHOD_NOT_ALLOWED',
  })
})

it('a port that another process has is named, and nothing is left behind', async () => {
  await using server = await served()
  const port = Number(new URL(server.url).port)
  const told = await refusal(
    openServer({
      keelson: server.keelson,
      host: '127.0.0.1',
      port,
      who: () => undefined,
      authorizer: roleRules({ uuid: randomUUID }),
      now: Date.now,
      uuid: randomUUID,
      tell: () => undefined,
    }),
  )
  expect(told.code).toBe('ADDRESS_UNUSABLE')
  expect(told.message).toContain(`127.0.0.1:${port}`)
})

it('a tenant that no key was made for cannot be deleted', async () => {
  const folder = testFolder()
  await keelsonHere(['keys', 'create', '--tenant', 'acme', '--role', 'viewer', '--json'], folder)
  const told = await keelsonHere(['tenants', 'delete', 'nobody', '--json'], folder)
  expect(told.stdout).toContain('TENANT_NOT_FOUND')
})
