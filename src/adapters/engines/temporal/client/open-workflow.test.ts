/** A run gets a workflow whatever its earlier workflow does at that moment. */
import { expect, it } from 'vitest'
import type { RunRow } from '../../../../ports/run-store.ts'
import { openWorkflow } from './open-workflow.ts'

const row: Partial<RunRow> = { tenantId: 'local', runId: 'r1', engineType: 'temporal' }

/** A server whose workflow of this id is open or closed at each call, in order. */
async function callsWith(states: readonly ('open' | 'closed')[]): Promise<readonly string[]> {
  const calls: string[] = []
  const answer = (call: string, works: 'open' | 'closed'): Promise<boolean> => {
    const state = states[calls.length] ?? 'closed'
    calls.push(`${call} ${state}`)
    return Promise.resolve(state === works)
  }
  const server = { start: () => answer('start', 'closed'), wake: () => answer('wake', 'open') }
  await openWorkflow(server, row as RunRow)
  return calls
}

it('starts a workflow where none is open, and wakes the one that is [P-38]', async () => {
  expect(await callsWith(['closed'])).toEqual(['start closed'])
  expect(await callsWith(['open', 'open'])).toEqual(['start open', 'wake open'])
})

it('starts one when the earlier workflow ended between the two calls, however often [P-20, P-38]', async () => {
  expect(await callsWith(['open', 'closed', 'closed'])).toEqual(['start open', 'wake closed', 'start closed'])
  expect(await callsWith(['open', 'closed', 'open', 'closed'])).toHaveLength(5)
  expect(await callsWith(['open', 'closed', 'open', 'open'])).toHaveLength(4)
})
