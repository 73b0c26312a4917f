/** Who may do what: every role at every route of the table, over real HTTP. A new row or a new role is tested without a change here. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Contract } from '../../src/core/api/contract.ts'
import { ACTIONS, GRANTS, ROLES } from '../../src/core/authority/actions.ts'
import { fileFolder } from '../fixtures/folder.ts'
import { BOUND, peopled, send, type Peopled } from './peopled.ts'
import { sampleRequest } from './sample-requests.ts'

const folder = fileFolder()
let world: Peopled

beforeAll(async () => {
  world = await peopled(folder)
})
afterAll(async () => world[Symbol.asyncDispose]())

const GUARDED = BOUND.filter(({ access }) => access !== 'anyone' && access !== 'signature')

/** With names of nobody, so that what is allowed changes nothing. */
async function isDenied(contract: Contract, roles: string): Promise<boolean> {
  const { server, acme } = world
  const as = `acme.ana.${roles}`
  const { status, text } = await send(server.url, contract, sampleRequest(contract, acme.nobodys), { as })
  if (status !== 403) return false
  const { error } = JSON.parse(text) as { readonly error: { readonly code: string; readonly message: string } }
  // A signal has a table of its own on top of this one (AUT-05); its refusal names the signal.
  return error.code === 'AUTHZ_DENIED' && error.message.startsWith(String(contract.access))
}

it.each(GUARDED.map((contract) => [contract.id, contract] as const))(
  '%s is for the roles that have its action and for no others [AUT-13, AUT-14]',
  async (_id, contract) => {
    const allowed: string[] = []
    for (const role of ROLES) if (!(await isDenied(contract, role))) allowed.push(role)
    expect(allowed).toEqual(ROLES.filter((role) => GRANTS[role].some((action) => action === contract.access)))
  },
)

it('denies everything to a role that no table names, and to nobody in particular [AUT-13]', async () => {
  for (const contract of GUARDED)
    for (const roles of ['', 'Emperor', 'admin', 'constructor', '__proto__'])
      expect({ id: contract.id, roles, denied: await isDenied(contract, roles) }).toEqual({
        id: contract.id,
        roles,
        denied: true,
      })
})

it('adds up the roles of one principal, and takes the other spellings for the same [AUT-14]', async () => {
  for (const contract of GUARDED) {
    const grants = (...roles: (keyof typeof GRANTS)[]): boolean =>
      roles.some((role) => GRANTS[role].some((action) => action === contract.access))
    expect(!(await isDenied(contract, 'viewer+plan-author'))).toBe(grants('viewer', 'plan-author'))
    expect(!(await isDenied(contract, 'Emperor+operator'))).toBe(grants('Operator'))
    expect(!(await isDenied(contract, 'tenant-admin'))).toBe(grants('Admin'))
  }
})

it('says of every principal exactly the actions that its requests are granted [AUT-14]', async () => {
  for (const role of ROLES) {
    const { status, body } = await world.server.call('GET /v1/me', { as: `acme.ana.${role}` })
    if (!GRANTS[role].includes('TENANT_READ')) expect(status).toBe(403)
    else expect(body.actions).toEqual(ACTIONS.filter((action) => GRANTS[role].includes(action)))
  }
})

it('answers to anyone only what is about the process', () => {
  const open = BOUND.filter(({ access }) => access === 'anyone').map(({ path }) => path)
  expect(open.filter((path) => path.startsWith('/v1/'))).toEqual([])
})
