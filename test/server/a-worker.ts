/** A remote worker as a test needs it: each request by hand, over real HTTP. */
import { expect } from 'vitest'
import type { Answered, Served } from './served.ts'

export const WORKER = 'acme.robot.worker'

export interface Claimed {
  readonly claim: string
  readonly executionId: string
  readonly step: string
  readonly slot: string
  readonly itemIndex?: number
  readonly handler: string
  readonly input: unknown
  readonly idempotencyKey: string
  readonly attempt: number
  readonly engineAttempt: number
  readonly leaseUntil: string
  readonly secrets?: Readonly<Record<string, string>>
}

export interface AWorker {
  readonly claim: (more?: object) => Promise<readonly Claimed[]>
  /** Waits until there is one. */
  readonly claimOne: (more?: object) => Promise<Claimed>
  readonly beat: (claim: string) => Promise<Answered>
  readonly report: (claim: string, body: object) => Promise<Answered>
  readonly done: (claim: string, output?: unknown) => Promise<Answered>
}

export function aWorker({ call }: Pick<Served, 'call'>, as: string = WORKER): AWorker {
  const claim = async (more: object = {}): Promise<readonly Claimed[]> => {
    const body = { queues: ['gpu'], handlers: ['train', 'pay'], waitMs: 0, ...more }
    const answer = await call('POST /v1/work/claim', { as, body })
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
    return answer.body.work as readonly Claimed[]
  }
  const report = (token: string, body: object): Promise<Answered> => call(`POST /v1/work/${token}/report`, { as, body })
  return {
    claim,
    claimOne: async (more = {}) => {
      const [first] = await claim({ waitMs: 20_000, ...more })
      return first ?? expect.fail('no work came')
    },
    beat: (token) => call(`POST /v1/work/${token}/heartbeat`, { as }),
    report,
    done: (token, output) => report(token, { outcome: 'completed', output }),
  }
}

/** The whole log of a run, as its reader gets it. */
export async function eventsOf({ call }: Pick<Served, 'call'>, runId: string): Promise<readonly Event[]> {
  return (await call(`GET /v1/executions/${runId}/events?limit=1000`)).body.events as readonly Event[]
}

export interface Event {
  readonly eventType: string
  readonly stepId?: string
  readonly logicalAttemptId?: number
  readonly engineAttemptId?: number
  readonly payload: Readonly<Record<string, unknown>>
  readonly data?: Readonly<Record<string, unknown>>
}
