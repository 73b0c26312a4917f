/** Followers of the whole log in a program that embeds Keelson: in order, across restarts, each name once. */
import { beforeEach, describe, expect, it } from 'vitest'
import { openKeelson, type FeedEvent } from '../../src/main.ts'
import { gate, doubled } from '../fixtures/gated-plans.ts'
import { testFolder } from '../fixtures/folder.ts'

let directory = ''
beforeEach(() => {
  directory = testFolder()
})

describe('a subscription', () => {
  it('hears every event of every run in order, and goes on after a restart where it stood', async () => {
    const heard: FeedEvent[] = []
    const hear = (event: FeedEvent): void => void heard.push(event)
    const first = await openKeelson({ directory, steps: gate().steps })
    const before = await first.start(doubled, { n: 1 })
    await before.result()
    const subscription = first.subscribe('mail', hear)
    await subscription.drain()
    await first.close()
    const told = heard.length
    expect(heard.map(({ record }) => record.eventType).at(-1)).toBe('RunCompleted')

    await using second = await openKeelson({ directory, steps: gate().steps })
    const meanwhile = await second.start(doubled, { n: 2 })
    await meanwhile.result()
    const again = second.subscribe('mail', hear)
    await again.drain()
    expect(new Set(heard.slice(told).map(({ runId }) => runId))).toEqual(new Set([meanwhile.runId]))
    for (const run of [await second.run(before.runId), meanwhile]) {
      const seqs = heard.filter(({ runId }) => runId === run.runId).map(({ record }) => record.runSeq)
      expect(seqs).toEqual((await run.records()).map(({ runSeq }) => runSeq))
    }
    expect(await again.status()).toMatchObject({ runsBehind: 0, deadLetters: 0 })
  })

  it('is woken by what this process does, and stops with it', async () => {
    const keelson = await openKeelson({ directory, steps: gate().steps })
    const ended = Promise.withResolvers<string>()
    keelson.subscribe('watch', ({ runId, record }) => record.eventType === 'RunCompleted' && ended.resolve(runId), {
      pollMs: 3_600_000,
    })
    const run = await keelson.start(doubled, { n: 1 })
    expect(await ended.promise).toBe(run.runId)
    await keelson.close()
  })

  it('has its name for itself, until it is stopped', async () => {
    await using keelson = await openKeelson({ directory, steps: gate().steps })
    const first = keelson.subscribe('mail', () => undefined)
    expect(() => keelson.subscribe('mail', () => undefined)).toThrow('SUBSCRIBER_EXISTS')
    await first.stop()
    expect(await keelson.subscribe('mail', () => undefined).drain()).toBe(0)
  })

  it('gives up what its handler keeps refusing, and hands it out again on request', async () => {
    await using keelson = await openKeelson({ directory, steps: gate().steps })
    await (await keelson.start(doubled, { n: 1 })).result()
    let isDown = true
    const problems: string[] = []
    const subscription = keelson.subscribe(
      'ledger',
      ({ record }) => {
        if (isDown && record.eventType === 'RunCompleted') throw new Error('the ledger is down')
      },
      { maxAttempts: 1, onProblem: ({ code }) => problems.push(code) },
    )
    await subscription.drain()
    const [inboxRow] = await subscription.deadLetters()
    expect(inboxRow?.error).toContain('the ledger is down')
    expect(problems).toContain('EVENT_BUS_DELIVERY_FAILED')
    isDown = false
    expect((await subscription.redeliver()).delivered).toHaveLength(1)
    expect(await subscription.deadLetters()).toEqual([])
  })
})
