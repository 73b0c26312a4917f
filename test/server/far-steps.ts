/** Plans whose steps are those of remote workers, served over real HTTP. */
import { expect } from 'vitest'
import type { OpenOptions } from '../../src/main.ts'
import { aWorker, type AWorker } from './a-worker.ts'
import { served, type Served } from './served.ts'

export const TRAIN = `
plan: training
version: 1.0.0
steps:
  - id: train
    run: train
    with: { rows: "\${input.rows}" }
    dispatch: { queue: gpu }
    retry: { maxAttempts: 2, initialBackoff: 1ms }
output: { model: "\${steps.train.output.model}" }
`
export const PAY = `
plan: paying
version: 1.0.0
steps:
  - id: pay
    run: pay
    effect: irreversible
    dispatch: { queue: gpu }
`

export interface Far extends Served {
  readonly worker: AWorker
  readonly start: (input?: object) => Promise<string>
}

export async function openFar(plan: string = TRAIN, opening: OpenOptions = {}): Promise<Far> {
  const opened = await served(opening)
  const planId = /plan: (\w+)/.exec(plan)?.[1]
  await opened.publish(plan)
  return {
    ...opened,
    worker: aWorker(opened),
    start: async (input = {}) => {
      const { status, body } = await opened.call('POST /v1/executions', { body: { planId, input } })
      expect(status).toBe(202)
      return body.executionId as string
    },
  }
}

export async function ended({ call }: Served, runId: string, status: string): Promise<void> {
  await expect.poll(async () => (await call(`GET /v1/executions/${runId}`)).body.status).toBe(status)
}

export const typesOf = (events: readonly { readonly eventType: string }[]): readonly string[] =>
  events.map(({ eventType }) => eventType)
