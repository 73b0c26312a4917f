/** Cases about decisions: stored with the row that tells the run, settled once, and kept longer than the run's own values. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { decision, inboxRowOf } from './decision-fixtures.ts'
import { summary } from './run-fixtures.ts'
import { bootstrap, refusedWith, START_MS, type StoreCase } from './store-case.ts'

const PENDING = decision(1, { decision: 'PENDING', approvalRequired: true })
const YES = { decision: 'ACCEPTED', approvedBy: 'bob', approvalTimestamp: START_MS + 50 } as const
const NO = { ...YES, decision: 'REJECTED', approvedBy: 'eve', reason: 'not today' } as const
const RECORDED = { kind: 'recorded' }

export const DECISION_CASES: readonly StoreCase[] = [
  {
    title: 'a decision and the inbox row of its run are stored together, and it is found by each of its names',
    run: async (world) => {
      const { runKey } = await bootstrap(world, { runId: 'r1' })
      const audit = { reason: 'why', sourceIp: '::1' }
      const full = decision(1, { reason: 'fine', reasonCode: 'SIGNAL_DUPLICATE', approvalRequired: false, audit })
      assert.deepEqual(await world.store.recordDecision(full, inboxRowOf(full)), RECORDED)
      const refused = decision(2, { decision: 'REJECTED', signalPayload: '{}' })
      assert.deepEqual(await world.store.recordDecision(refused), RECORDED)
      const store = await world.reopen()
      assert.deepEqual(
        (await store.readInbox(runKey)).map(({ inboxId }) => inboxId),
        ['signal:s1'],
      )
      assert.deepEqual(await store.findDecision('tenant-a', { runId: 'r1', signalId: 's1' }), full)
      assert.deepEqual(await store.findDecision('tenant-a', { signalDecisionId: 'decision-2' }), refused)
      assert.deepEqual(await store.findDecision('tenant-a', { policyDecisionId: 'policy-1' }), full)
      assert.equal(await store.findDecision('tenant-b', { policyDecisionId: 'policy-1' }), undefined)
      assert.equal(await store.findDecision('tenant-a', { runId: 'r2', signalId: 's1' }), undefined)
      await refusedWith('STORE_SCOPE_MISSING', () => store.findDecision('', { signalDecisionId: 'decision-1' }))
    },
  },
  {
    title:
      'of many who record one signal at once one is the first, the run is told once, and all others get its record',
    run: async (world) => {
      const { store } = world
      const { runKey } = await bootstrap(world, { runId: 'r1' })
      const many = Array.from({ length: 20 }, (_, n) => decision(n, { signalId: 'same', policyDecisionId: `p${n}` }))
      const answers = await Promise.all(many.map((one) => store.recordDecision(one, inboxRowOf(one))))
      assert.equal(answers.filter(({ kind }) => kind === 'recorded').length, 1)
      const first = many[answers.findIndex(({ kind }) => kind === 'recorded')]
      for (const answer of answers) if (answer.kind === 'exists') assert.deepEqual(answer.record, first)
      assert.equal((await store.readInbox(runKey)).length, 1)
      const sameId = await store.recordDecision(decision(99, { signalDecisionId: first?.signalDecisionId ?? '' }))
      assert.equal(sameId.kind, 'exists')
    },
  },
  {
    title:
      'what cannot be told to its run is not decided either: no such run, another tenant, another row of that name',
    run: async (world) => {
      const { store } = world
      await bootstrap(world, { runId: 'r1' })
      const one = decision(1)
      const foreign = decision(1, { audit: { tenantId: 'tenant-b' } })
      assert.deepEqual(await store.recordDecision(decision(1, { runId: 'none' })), { kind: 'no-run' })
      assert.deepEqual(await store.recordDecision(foreign, inboxRowOf(foreign)), { kind: 'no-run' })
      await store.insertInbox({ tenantId: 'tenant-a', runId: 'r1' }, { ...inboxRowOf(one), body: '"other"' })
      const answer = await store.recordDecision(one, inboxRowOf(one))
      assert.equal(answer.kind === 'conflict' && answer.row.body, '"other"')
      assert.deepEqual((await store.listDecisions('tenant-a', {}, { limit: 9 })).decisions, [])
    },
  },
  {
    title: 'a pending decision is settled once, whoever else tries, and only then is the run told',
    run: async (world) => {
      const { store } = world
      const { runKey } = await bootstrap(world, { runId: 'r1' })
      await store.recordDecision(PENDING)
      assert.deepEqual(await store.readInbox(runKey), [])
      const tries = Array.from({ length: 10 }, (_, n) =>
        store.settleDecision(
          'tenant-a',
          'decision-1',
          n % 2 === 0 ? YES : NO,
          n % 2 === 0 ? inboxRowOf(PENDING) : undefined,
        ),
      )
      const answers = await Promise.all(tries)
      assert.equal(answers.filter(({ kind }) => kind === 'settled').length, 1)
      assert.equal(answers.filter(({ kind }) => kind === 'already').length, 9)
      const settled = { ...PENDING, ...(answers.findIndex(({ kind }) => kind === 'settled') % 2 === 0 ? YES : NO) }
      for (const answer of answers) assert.deepEqual('record' in answer && answer.record, settled)
      assert.equal((await store.readInbox(runKey)).length, settled.decision === 'ACCEPTED' ? 1 : 0)
      assert.deepEqual(await store.findDecision('tenant-a', { signalDecisionId: 'decision-1' }), settled)
    },
  },
  {
    title: 'only what waits can be settled, by its own tenant and while its run can be told',
    run: async (world) => {
      const { store } = world
      const ended = { summary: summary({ status: 'COMPLETED', endedAt: world.clock.now() }) }
      const run = await bootstrap(world, { runId: 'r1' }, undefined, ended)
      await store.recordDecision(PENDING)
      await store.recordDecision(decision(2))
      assert.equal((await store.settleDecision('tenant-a', 'decision-2', NO)).kind, 'already')
      assert.deepEqual(await store.settleDecision('tenant-b', 'decision-1', YES), { kind: 'no-decision' })
      assert.equal(await store.archiveRun(run.runKey, run.headHash), 'archived')
      assert.deepEqual(await store.settleDecision('tenant-a', 'decision-1', YES, inboxRowOf(PENDING)), {
        kind: 'no-run',
      })
      const refused = await store.settleDecision('tenant-a', 'decision-1', NO)
      assert.deepEqual(refused, { kind: 'settled', record: { ...PENDING, ...NO } })
    },
  },
  {
    title: 'what the engine made of a signal is noted once',
    run: async (world) => {
      const { store } = world
      await bootstrap(world, { runId: 'r1' })
      await store.recordDecision(decision(1))
      const failed = { status: 'failure', errorCode: 'RUN_TERMINAL' } as const
      assert.equal(await store.noteResult('tenant-b', 'decision-1', START_MS, failed), false)
      assert.equal(await store.noteResult('tenant-a', 'decision-1', START_MS + 5, failed), true)
      assert.equal(await store.noteResult('tenant-a', 'decision-1', START_MS + 6, { status: 'success' }), false)
      const noted = { ...decision(1), engineProcessedAt: START_MS + 5, engineResult: failed }
      assert.deepEqual(await store.findDecision('tenant-a', { signalDecisionId: 'decision-1' }), noted)
    },
  },
  {
    title: 'decisions outlive the archival of their run, and answer a repeat after it',
    run: async (world) => {
      const { store } = world
      const ended = { summary: summary({ status: 'COMPLETED', endedAt: world.clock.now() }) }
      const run = await bootstrap(world, { runId: 'r1' }, undefined, ended)
      await store.recordDecision(decision(1))
      assert.equal(await store.archiveRun(run.runKey, run.headHash), 'archived')
      assert.deepEqual(await store.recordDecision(decision(1)), { kind: 'exists', record: decision(1) })
      assert.deepEqual(await store.recordDecision(decision(2), inboxRowOf(decision(2))), { kind: 'no-run' })
      assert.deepEqual(await store.recordDecision(decision(3, { decision: 'REJECTED' })), RECORDED)
      assert.deepEqual(await store.faults(), [])
    },
  },
  {
    title:
      'the erasure of a run takes payload, reasons and the address; who decided what stays, and a repeat is recognised [P-34]',
    run: async (world) => {
      const { store } = world
      const { runKey } = await bootstrap(world, { runId: 'r1' })
      await bootstrap(world, { runId: 'r2' })
      const personal = decision(1, { reason: 'of ana', audit: { reason: 'she asked', sourceIp: '192.0.2.7' } })
      const other = decision(2, { runId: 'r2', reason: 'stays' })
      for (const one of [personal, other]) await store.recordDecision(one)
      for (let times = 0; times < 2; times += 1) await store.eraseData(runKey, 1)
      const payloadSha256 = hash('sha256', personal.signalPayload)
      const erased = { ...decision(1), signalPayload: '', payloadSha256 }
      assert.deepEqual(await store.findDecision('tenant-a', { signalDecisionId: 'decision-1' }), erased)
      assert.deepEqual(await store.findDecision('tenant-a', { signalDecisionId: 'decision-2' }), other)
      assert.deepEqual(await store.faults(), [])
    },
  },
]
