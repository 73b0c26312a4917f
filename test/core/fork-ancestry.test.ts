/** A fork takes over a result only when everything it depends on stands; all else is done again, in order. */
import { describe, expect, it } from 'vitest'
import { previewFork, type ForkRequest } from '../../src/app/start/fork-run.ts'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import { fork, ran, type Ran } from '../fixtures/forked-run.ts'
import { planOf, World, type Script } from '../fixtures/virtual-world.ts'

/** Steps the fork really called, in order. */
async function calledBy(here: Ran, more: Partial<ForkRequest> = {}): Promise<{ called: string[]; next: RunKey }> {
  const before = here.world.calls.length
  const next = await fork(here.process, here.run, more)
  return { called: here.world.calls.slice(before).map(({ context }) => context.stepId), next }
}

/** The log of a fork follows from itself. */
function verified({ world }: Ran, run: RunKey, yaml: string): void {
  const { plan, sha256 } = planOf(yaml)
  const report = verifyDecisions(world.records(run), { plan, graph: compileGraph(plan), sha256 })
  expect(report).toMatchObject({ differences: [], notDerivable: [] })
}

const once = (name: string): Script[string] => {
  let calls = 0
  return () => {
    calls += 1
    if (calls === 1) throw Object.assign(new Error(`${name} is down`), { retryable: false })
    return name
  }
}

const ORDER = `steps:
  - { id: charge, run: charge, compensate: { run: refund } }
  - { id: label, run: label }
  - { id: ship, run: ship, effect: irreversible, retry: { maxAttempts: 1 } }`

describe('a fork', () => {
  it('does again what follows a step that was undone: nothing is shipped before it is charged', async () => {
    const here = await ran(ORDER, { ship: once('ship') })
    expect(here.world.log(here.run, 'CompensationCompleted')).toEqual(['CompensationCompleted charge#1'])
    const { called, next } = await calledBy(here)
    expect(called).toEqual(['charge', 'label', 'ship'])
    expect(here.world.row(next).status).toBe('COMPLETED')
    verified(here, next, ORDER)
  })

  it('keeps a result beside what was undone, and does again only what is downstream', async () => {
    const plan = `steps:
  - { id: charge, run: charge, dependsOn: [], compensate: { run: refund } }
  - { id: report, run: report, dependsOn: [] }
  - { id: mail, run: mail, dependsOn: [report] }
  - { id: label, run: label, dependsOn: [charge] }
  - { id: ship, run: ship, dependsOn: [label, mail], retry: { maxAttempts: 1 } }`
    const here = await ran(plan, { ship: once('ship') })
    const { called } = await calledBy(here)
    expect(called).toEqual(['charge', 'label', 'ship'])
  })

  it('takes over a step that its fallback saved, with the fallback’s output, and never repeats either', async () => {
    const plan = `steps:
  - { id: pay, run: card, retry: { maxAttempts: 1 }, fallback: { run: invoice } }
  - { id: pack, run: pack, with: { paid: '\${steps.pay.output}' } }
  - { id: ship, run: ship, with: { paid: '\${steps.pay.output}' }, retry: { maxAttempts: 1 } }`
    const card = (): never => {
      throw Object.assign(new Error('declined'), { retryable: false })
    }
    const here = await ran(plan, { card, invoice: () => 'by invoice', ship: once('ship') })
    const { called, next } = await calledBy(here)
    expect(called).toEqual(['ship'])
    expect(here.world.calls.at(-1)?.input).toEqual({ paid: 'by invoice' })
    verified(here, next, plan)
  })

  it('takes over that a condition was false: what follows the skipped step is not done again', async () => {
    const plan = `steps:
  - { id: gift, run: gift, if: input.gift }
  - { id: pack, run: pack }
  - { id: ship, run: ship, retry: { maxAttempts: 1 } }`
    const here = await ran(plan, { ship: once('ship') }, { input: { gift: false } })
    const { called, next } = await calledBy(here)
    expect(called).toEqual(['ship'])
    expect(here.world.records(next).find(({ eventType }) => eventType === 'StepSkipped')?.payload).toMatchObject({
      reasonCode: 'CONDITION_FALSE',
      reusedFrom: { runId: here.world.row(here.run).runId },
    })
    verified(here, next, plan)
    const again = await calledBy({ ...here, run: next }, { from: 'ship' })
    expect(again.called).toEqual(['ship'])
    verified(here, again.next, plan)
  })

  it('does again what was skipped by hand, and everything after it', async () => {
    const plan = `policy: { onFailure: hold }
steps:
  - { id: a, run: a }
  - { id: check, run: check, retry: { maxAttempts: 1 } }
  - { id: b, run: b }
  - { id: c, run: c, retry: { maxAttempts: 1 } }`
    const world = new World()
    const process = world.process('p', { script: { check: once('check'), c: once('c') } })
    const run = await process.start(plan)
    await world.runUntil(() => world.log(run, 'StepFailed').length === 1)
    await process.signal(run, 'SKIP_STEP', { stepId: 'check' })
    await world.runUntil(() => world.log(run, 'StepFailed').length === 2)
    await process.signal(run, 'CANCEL')
    await world.runUntil(() => world.hasEnded(run))
    const { called } = await calledBy({ world, process, run })
    expect(called).toEqual(['check', 'b', 'c'])
  })

  it('takes over nothing that another fork of the same run has undone', async () => {
    const plan = `steps:
  - { id: charge, run: charge, compensate: { run: refund } }
  - { id: ship, run: ship, retry: { maxAttempts: 1 } }`
    const down = { ship: { isDown: false } }
    const ship: Script[string] = () => {
      if (down.ship.isDown) throw Object.assign(new Error('down'), { retryable: false })
      return 'shipped'
    }
    const here = await ran(plan, { ship })
    down.ship.isDown = true
    const first = await calledBy(here, { from: 'ship' })
    expect(here.world.row(first.next).status).toBe('FAILED')
    expect(first.called).toEqual(['ship', 'charge'])
    down.ship.isDown = false
    expect((await calledBy(here, { from: 'ship' })).called).toEqual(['charge', 'ship'])
    expect((await calledBy({ ...here, run: first.next })).called).toEqual(['charge', 'ship'])
  })

  it('onto a plan with a step put in between does that step and what follows it', async () => {
    const here = await ran(`steps: [{ id: a, run: a }, { id: b, run: b }, { id: c, run: c }]`, {})
    const next = planOf(`plan: story
version: 1.0.1
steps: [{ id: a, run: a }, { id: x, run: x }, { id: b, run: b }, { id: c, run: c }]`)
    expect((await calledBy(here, { plan: next })).called).toEqual(['x', 'b', 'c'])
  })

  it('onto a plan with a new edge does again what had run before its new predecessor', async () => {
    const plan = (more: string) => `plan: story
version: 1.0.0-${more}
steps:
  - { id: early, run: early, dependsOn: [${more}] }
  - { id: late, run: late, dependsOn: [first] }
  - { id: first, run: first, dependsOn: [] }`
    const here = await ran(plan(''), {})
    expect((await calledBy(here, { plan: planOf(plan('late')) })).called).toEqual(['early'])
    expect((await calledBy(here, { plan: planOf(plan('')) })).called).toEqual([])
  })

  it('refuses to repeat an irreversible step that was done, unless it is told to or the step is named', async () => {
    const plan = `steps:
  - { id: charge, run: charge, compensate: { run: refund } }
  - { id: ship, run: ship, effect: irreversible }
  - { id: mail, run: mail, retry: { maxAttempts: 1 } }`
    const here = await ran(plan, { mail: once('mail') })
    await expect(fork(here.process, here.run)).rejects.toMatchObject({ code: 'FORK_REPEATS_IRREVERSIBLE' })
    const preview = await previewFork(here.process.services, here.process.advancer, { row: here.world.row(here.run) })
    expect(preview.taken).toEqual([])
    expect([...preview.again]).toEqual([
      ['charge', { kind: 'undone' }],
      ['ship', { kind: 'after', stepId: 'charge' }],
      ['mail', { kind: 'unfinished' }],
    ])
    expect(preview.repeats).toEqual([
      { stepId: 'ship', effect: 'irreversible', inDoubt: false, reason: { kind: 'after', stepId: 'charge' } },
    ])
    expect(here.world.called('ship')).toEqual(['ship#1/1'])
    const { called } = await calledBy(here, { repeatIrreversible: true })
    expect(called).toEqual(['charge', 'ship', 'mail'])
  })

  it('of a run that completed repeats an irreversible step when that very step is named', async () => {
    const here = await ran(ORDER, {})
    expect((await calledBy(here, { from: 'ship' })).called).toEqual(['ship'])
    await expect(fork(here.process, here.run, { from: 'label' })).rejects.toMatchObject({
      code: 'FORK_REPEATS_IRREVERSIBLE',
    })
  })

  it('undoes the items of a fan-out that it took over, each once and under the key of the run that owns it', async () => {
    const plan = `steps:
  - id: charge
    run: charge
    forEach: input.cards
    retry: { maxAttempts: 1 }
    fallback: { run: invoice }
    compensate: { run: refund, with: { card: '\${item}', paid: '\${steps.charge.output}' } }
  - { id: ship, run: ship, with: { paid: '\${steps.charge.output}' }, retry: { maxAttempts: 1 } }`
    let isDown = false
    const script: Script = {
      charge: ({ context }) => {
        if (context.itemIndex === 1) throw Object.assign(new Error('declined'), { retryable: false })
        return `card ${context.itemIndex}`
      },
      invoice: () => 'invoice',
      ship: () => {
        if (isDown) throw Object.assign(new Error('down'), { retryable: false })
      },
    }
    const here = await ran(plan, script, { input: { cards: ['a', 'b', 'c'] } })
    const kept = await calledBy(here, { from: 'ship' })
    expect(kept.called).toEqual(['ship'])
    expect(here.world.calls.at(-1)?.input).toEqual({ paid: ['card 0', 'invoice', 'card 2'] })
    verified(here, kept.next, plan)
    isDown = true
    const failed = await calledBy({ ...here, run: kept.next }, { from: 'ship' })
    expect(here.world.row(failed.next).status).toBe('FAILED')
    const undone = here.world.calls.filter(({ name }) => name === 'refund')
    expect(undone.map(({ input }) => (input as { card: string }).card).sort()).toEqual(['a', 'b', 'c'])
    const owner = here.world.row(here.run).runId
    expect(undone.map(({ context }) => context.idempotencyKey).every((key) => key.startsWith(owner))).toBe(true)
    verified(here, failed.next, plan)
    isDown = false
    expect((await calledBy(here, { from: 'ship' })).called).toEqual(['charge', 'charge', 'charge', 'charge', 'ship'])
  })

  it('refuses to repeat an irreversible step that another fork of the same run has done', async () => {
    const plan = `steps:
  - { id: slow, run: slow, retry: { maxAttempts: 1 } }
  - { id: ship, run: ship, effect: irreversible }`
    const here = await ran(plan, { slow: once('slow') })
    const { called, next } = await calledBy(here)
    expect(called).toEqual(['slow', 'ship'])
    const { runId } = here.world.row(next)
    await expect(fork(here.process, here.run)).rejects.toThrow(`'ship' (done by run ${runId})`)
    expect((await calledBy(here, { repeatIrreversible: true })).called).toEqual(['slow', 'ship'])
  })

  it('says what could not be undone, and not that what was undone is still there', async () => {
    const plan = `steps:
  - { id: charge, run: charge, compensate: { run: refund, retry: { maxAttempts: 1 } } }
  - { id: items, run: item, forEach: input.list, retry: { maxAttempts: 1 }, compensate: { run: unitem } }
  - { id: z, run: z, retry: { maxAttempts: 1 } }`
    const fails = (): never => {
      throw Object.assign(new Error('no'), { retryable: false })
    }
    const previewOf = async (script: Script): Promise<unknown> => {
      const { world, process, run } = await ran(plan, script, { input: { list: [1, 2, 3] } })
      const preview = await previewFork(process.services, process.advancer, { row: world.row(run) })
      return { again: Object.fromEntries(preview.again), repeats: preview.repeats.map(({ stepId }) => stepId) }
    }
    expect(await previewOf({ z: fails, refund: fails })).toEqual({
      again: { charge: { kind: 'not-undone' }, items: { kind: 'undone' }, z: { kind: 'unfinished' } },
      repeats: ['charge'],
    })
    const thirdFails: Script[string] = ({ context }) => (context.itemIndex === 2 ? fails() : undefined)
    expect(await previewOf({ item: thirdFails })).toEqual({
      again: {
        charge: { kind: 'undone' },
        items: { kind: 'unfinished' },
        z: { kind: 'unfinished' },
      },
      repeats: [],
    })
  })
})
