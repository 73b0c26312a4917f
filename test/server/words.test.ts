/** Whose words are said where: the log and the snapshot have ours, answers over HTTP have those of the other contracts. */
import { expect, it } from 'vitest'
import { until } from '../fixtures/until.ts'
import { served, type Served } from './served.ts'
import { testFolder } from '../fixtures/folder.ts'

const PLAN = `
plan: asked
version: 1.0.0
policy: { onFailure: continue }
steps:
  - { id: ask, manual: { title: 'Look' }, dependsOn: [] }
  - { id: pay, run: pay, dependsOn: [ask] }
`

interface Waiting extends Served {
  readonly run: string
  readonly read: (path?: string) => Promise<ReturnType<typeof JSON.parse>>
}

/** A run that waits for a person. */
async function waiting(): Promise<Waiting> {
  const server = await served({ directory: testFolder(), steps: { pay: () => 'paid' } })
  await server.publish(PLAN)
  const { executionId: run } = (await server.call('POST /v1/executions', { body: { planId: 'asked' } })).body
  const read = async (path = ''): ReturnType<Waiting['read']> =>
    (await server.call(`GET /v1/executions/${run}${path}`)).body
  await until(async () => (await read('/snapshot')).snapshot.steps[0]?.waitingForManualCompletion === true)
  return { ...server, run, read }
}

/** Each event with the word that the journal has for it. */
async function journal({ read }: Waiting): Promise<readonly (readonly [string, string | undefined])[]> {
  const { entries } = await read('/journal')
  return (entries as readonly { eventType: string; state?: string }[]).map(({ eventType, state }) => [eventType, state])
}

it('a run that waits for a person is stored in our words, told in theirs, and has not ended [X-56]', async () => {
  await using server = await waiting()
  const { read } = server
  const execution = await read()
  expect([execution.status, execution.state, execution.completedAt]).toEqual(['RUNNING', 'running', undefined])
  const { snapshot } = await read('/snapshot')
  expect([snapshot.status, snapshot.steps[0].status, snapshot.steps[1].status]).toEqual([
    'RUNNING',
    'RUNNING',
    'PENDING',
  ])
  const log = (await read('/events')).events as readonly { readonly eventType: string }[]
  expect(log.map(({ eventType }) => eventType)).toEqual([
    'RunApproved',
    'RunStarted',
    'StepStarted',
    'ManualTaskOpened',
  ])
  expect(JSON.stringify(log)).not.toMatch(/WaitingForManualCompletion|Succeeded|StepExecuting|"completed"/)
  expect(await journal(server)).toEqual([
    ['RunApproved', 'Pending'],
    ['RunStarted', 'Running'],
    ['StepStarted', 'Running'],
    ['ManualTaskOpened', 'WaitingForManualCompletion'],
  ])
})

it('the way out of waiting is the end of the step, and the run goes on [X-56]', async () => {
  await using server = await waiting()
  const [task] = (await server.call('GET /v1/tasks')).body.tasks
  const done = await server.call(`POST /v1/tasks/${task.token}/complete`, { body: { outcome: 'Succeeded' } })
  expect(done.status).toBe(200)
  await until(async () => (await server.read()).status === 'COMPLETED')
  expect((await server.read()).state).toBe('completed')
  const { snapshot } = await server.read('/snapshot')
  expect(snapshot.steps.map(({ status }: { readonly status: string }) => status)).toEqual(['SUCCESS', 'SUCCESS'])
  expect((await journal(server)).slice(3)).toEqual([
    ['ManualTaskOpened', 'WaitingForManualCompletion'],
    ['StepCompleted', 'Completed'],
    ['StepStarted', 'Running'],
    ['StepCompleted', 'Completed'],
    ['RunCompleted', 'Completed'],
  ])
})

it('a cancelled step is FAILED in the log and cancelled in their words [X-56, X-57]', async () => {
  await using server = await waiting()
  await server.call(`POST /v1/executions/${server.run}/cancel`, { body: { reason: 'no' } })
  await until(async () => (await server.read()).status === 'CANCELLED')
  expect((await server.read()).state).toBe('cancelled')
  const { snapshot } = await server.read('/snapshot')
  expect(snapshot.steps[0]).toMatchObject({ status: 'FAILED', error: { code: 'CANCELLED' } })
  expect(await journal(server)).toContainEqual(['StepFailed', 'Cancelled'])
})

it('answers say execution, action and task; the log says run and step [X-89]', async () => {
  await using server = await waiting()
  const [task] = (await server.call('GET /v1/tasks')).body.tasks
  expect([task.executionId, task.actionId]).toEqual([server.run, 'ask'])
  expect(Object.keys(task)).not.toContain('runId')
  const execution = await server.read()
  expect([execution.executionId, execution.runId]).toEqual([server.run, undefined])
  const started = (await server.read('/events')).events.at(2)
  expect([started.runId, started.stepId, started.logicalAttemptId]).toEqual([server.run, 'ask', 1])
  expect([started.executionId, started.actionId]).toEqual([undefined, undefined])
  const { snapshot } = await server.read('/snapshot')
  expect([snapshot.runId, snapshot.steps[0].stepId]).toEqual([server.run, 'ask'])
})
