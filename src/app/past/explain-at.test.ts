/** `why` about the past equals what `why` would have said then. */
import { afterEach, expect, it } from 'vitest'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../main.ts'

let opened: Keelson | undefined
afterEach(() => opened?.close())

const PLAN = `plan: p
version: 1.0.0
policy: { retry: { maxAttempts: 1 } }
steps:
  - { id: a, run: good, dependsOn: [] }
  - { id: look, manual: { title: Look }, dependsOn: [a] }
  - { id: b, run: good, dependsOn: [look] }
`

async function waiting(): Promise<RunHandle> {
  opened = await openKeelson({ directory: ':memory:', steps: { good: () => 1 } })
  const handle = await opened.start(loadPlan(PLAN), {})
  while ((await handle.tasks()).length === 0) await new Promise((resolve) => void setImmediate(resolve))
  return handle
}

it('at the last event it is what holds the step now', async () => {
  const handle = await waiting()
  const last = (await handle.records()).at(-1)?.runSeq
  for (const slot of ['a', 'look', 'b']) expect(await handle.why(slot, last)).toEqual(await handle.why(slot))
})

it('at an earlier event it is what held the step then, whatever came after', async () => {
  const handle = await waiting()
  const began = (await handle.records()).find(({ eventType }) => eventType === 'StepStarted')?.runSeq ?? 0
  await handle.signal('CANCEL')
  await handle.result()
  expect(await handle.why('a', began)).toMatchObject([{ kind: 'running', attempt: 1 }])
  expect(await handle.why('b', began)).toMatchObject([{ kind: 'dependency', stepId: 'look', status: 'PENDING' }])
  expect(await handle.why('b')).toMatchObject([{ kind: 'dependency' }, { kind: 'run-ended', status: 'CANCELLED' }])
})

it('an event that is not there is refused', async () => {
  await expect((await waiting()).why('a', 999)).rejects.toMatchObject({ code: 'USAGE' })
})
