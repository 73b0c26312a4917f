/**
 * Histories that Temporal servers recorded, replayed with today's workflow: it must do again what it did, in the same order, or
 * runs that are under way would break (TMP-04). They are recorded by record-temporal.ts and never recorded again.
 */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as worker from '@temporalio/worker'
import { beforeAll, describe, expect, it } from 'vitest'
import { workflowBundle } from '../../src/adapters/engines/temporal/worker/workflow-bundle.ts'
import { TEMPORAL_STORIES } from './temporal-stories.ts'

interface Recorded {
  readonly workflowId: string
  readonly history: { readonly events: readonly object[] }
}

const files = globSync(join(import.meta.dirname, 'temporal', '*.json')).sort()
const recordedIn = (file: string): readonly Recorded[] => JSON.parse(readFileSync(file, 'utf8')) as readonly Recorded[]

let bundle: worker.WorkflowBundleOption
beforeAll(async () => {
  worker.Runtime.install({ logger: new worker.DefaultLogger('ERROR', () => undefined) })
  bundle = await workflowBundle({ worker })
})

function replay({ workflowId, history }: Recorded): Promise<void> {
  return worker.Worker.runReplayHistory({ workflowBundle: bundle }, history, workflowId)
}

it('there is a history of everything the workflow does [TMP-04]', () => {
  expect(files.map((file) => basename(file, '.json'))).toEqual(TEMPORAL_STORIES.map(({ name }) => name).sort())
  const kinds = files.flatMap(recordedIn).flatMap(({ history }) => history.events.flatMap(Object.keys))
  expect(new Set(kinds)).toEqual(
    new Set([
      ...kinds,
      'activityTaskCancelRequestedEventAttributes',
      'startChildWorkflowExecutionInitiatedEventAttributes',
      'timerFiredEventAttributes',
      'workflowExecutionContinuedAsNewEventAttributes',
      'workflowExecutionSignaledEventAttributes',
    ]),
  )
})

describe.each(files.map((file) => [basename(file, '.json'), file] as const))('the history of %s', (_name, file) => {
  it("is replayed by today's workflow [TMP-04]", async () => {
    for (const recorded of recordedIn(file)) await expect(replay(recorded)).resolves.toBeUndefined()
  })
})

it('a history that does something else is noticed [TMP-04]', async () => {
  const [first] = recordedIn(join(import.meta.dirname, 'temporal', 'chain.json'))
  const other = JSON.stringify(first).replaceAll('ExecuteStep:s1:1:1', 'ExecuteStep:s9:1:1')
  expect(other).not.toBe(JSON.stringify(first))
  await expect(replay(JSON.parse(other) as Recorded)).rejects.toThrow()
})
