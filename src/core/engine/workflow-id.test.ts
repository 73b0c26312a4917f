import { describe, expect, it } from 'vitest'
import { newWorkflowId, runIdsOf } from './workflow-id.ts'

/** Parts that could be combined into a name that reads like another one. */
const PARTS = ['local', 'acme', '/', ':', '%2F', '%', '//', 'a', 'ExecuteStep:a:1:1', 'é', ' ', '..', '@']
const TEXTS = [
  ...PARTS,
  ...PARTS.flatMap((a) => PARTS.map((b) => `${a}${b}`)),
  'local/a',
  'acme/a',
  'acme%2Fa',
  'acme:/a',
]

describe('the name of a run on an outside engine', () => {
  it('is the run’s id for the local tenant, and has the tenant in front for others', () => {
    expect(newWorkflowId({ tenantId: 'local', runId: 'r-1' })).toBe('r-1')
    expect(newWorkflowId({ tenantId: 'acme', runId: 'r-1' })).toBe('acme/r-1')
    expect(newWorkflowId({ tenantId: 'a/b', runId: 'r' })).toBe('a%2Fb/r')
    expect(newWorkflowId({ tenantId: 'local', runId: 'acme/r-1' })).toBe('local/acme/r-1')
  })

  it('is nobody else’s, whatever tenants and run ids are called, nor that of a long step of somebody else', () => {
    const owners = new Map<string, string>()
    const steps = ['ExecuteStep:a:1:1', 'ExecuteStep:x/y:1:1', 'Compensate:acme/a:1:1']
    for (const tenantId of TEXTS)
      for (const runId of TEXTS) {
        const name = newWorkflowId({ tenantId, runId })
        const owner = JSON.stringify([tenantId, runId])
        expect([owners.get(name) ?? owner, name]).toEqual([owner, name])
        owners.set(name, owner)
        expect(runIdsOf(name, tenantId)).toContain(runId)
      }
    for (const [name, owner] of owners)
      for (const step of steps) {
        const [tenantId] = JSON.parse(owner) as [string]
        const [taken = tenantId] = JSON.parse(owners.get(`${name}:${step}`) ?? '[]') as string[]
        expect([name, taken]).toEqual([name, tenantId])
      }
  })

  it('from before tenants were in it is a whole run id', () => {
    expect(runIdsOf('r-1', 'acme')).toEqual(['r-1'])
    expect(runIdsOf('acme/r-1', 'acme')).toEqual(['r-1', 'acme/r-1'])
    expect(runIdsOf('acme/r-1', 'globex')).toEqual(['acme/r-1'])
  })
})
