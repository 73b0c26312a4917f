/** Starts that are sent more than once: one key, one run, as long as that run or its success counts. */
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { canonicalText } from '../../src/app/log/canonical.ts'
import { sha256Bytes } from '../../src/app/log/sha256.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'
import { storeOf } from '../../src/library/services-of.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { runChild } from '../fixtures/child.ts'
import { testFolder } from '../fixtures/folder.ts'
import { VirtualTime } from '../fixtures/virtual-time.ts'
import { onceGated } from './gated-step.ts'
import { EVE, served, type Answered, type Served } from './served.ts'

const PLAN = `
plan: once
version: 1.0.0
steps:
  - { id: work, run: work, retry: { maxAttempts: 1 } }
output: { made: '\${steps.work.output}' }
`

async function start(server: Served, key: string, input: unknown = {}, as?: string): Promise<Answered> {
  return server.call('POST /v1/executions', {
    body: { planId: 'once', input },
    headers: { 'idempotency-key': key },
    ...(as === undefined ? {} : { as }),
  })
}

async function ended(server: Served, executionId: string): Promise<void> {
  await expect
    .poll(async () => (await server.call(`GET /v1/executions/${executionId}`)).body.status)
    .not.toBe('RUNNING')
}

it('50 parallel starts with one key are one run, and all answers name it [IDC-06, IDC-08, X-68, API-09]', async () => {
  let calls = 0
  await using server = await served({ steps: { work: () => (calls += 1) } })
  await server.publish(PLAN)
  const answers = await Promise.all(Array.from({ length: 50 }, () => start(server, 'order-17')))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
  expect(new Set(answers.map(({ body }) => body.executionId)).size).toBe(1)
  expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1)
  const replays = answers.filter(({ headers }) => headers.get('x-idempotent-replayed') === 'true')
  expect(replays).toHaveLength(49)
  await ended(server, answers[0]?.body.executionId)
  expect(calls).toBe(1)
})

it('another body under the same key is refused, and so is a key of another form [IDC-02, IDC-07]', async () => {
  await using server = await served({ steps: { work: () => 1 } })
  await server.publish(PLAN)
  expect((await start(server, 'k', { n: 1 })).status).toBe(202)
  const other = await start(server, 'k', { n: 2 })
  expect(other.status).toBe(409)
  expect(other.body.error).toMatchObject({ code: 'IDEMPOTENCY_KEY_CONFLICT', category: 'CONFLICT' })
  for (const key of ['', 'a_b', 'a b', 'a.b', 'ä', 'a/b', 'x'.repeat(256)]) {
    const refused = await start(server, key)
    expect([key, refused.status, refused.body.error?.code]).toEqual([key, 400, 'HEADER_INVALID'])
    expect(refused.body.error.message).toMatch(/idempotency-key/i)
  }
  for (const key of ['x'.repeat(255), 'Z', '0', '-', 'Order-17'])
    expect([key, (await start(server, key)).status]).toEqual([key, 202])
  // Nothing was started under a key that was refused.
  expect((await server.call('GET /v1/executions?limit=100')).body.executions).toHaveLength(6)
})

it('the order of keys and blanks in the body do not make it another one [IDC-05]', async () => {
  await using server = await served({ steps: { work: () => 1 } })
  await server.publish(PLAN)
  const headers = { 'idempotency-key': 'same' }
  const first = await server.call('POST /v1/executions', { text: '{"planId":"once","input":{"a":1,"b":2}}', headers })
  const again = await server.call('POST /v1/executions', {
    text: '{ "input": {"b":2, "a":1}, "planId":"once" }',
    headers,
  })
  expect(again.body.executionId).toBe(first.body.executionId)
})

it('a key belongs to its tenant and its route [IDC-09]', async () => {
  await using server = await served({ steps: { work: () => 1 } })
  await server.publish(PLAN)
  await server.publish(PLAN, 'evil')
  const ours = await start(server, 'k')
  const theirs = await start(server, 'k', {}, EVE)
  const elsewhere = await server.call('POST /v1/workflows/execute', {
    body: { planId: 'once', input: {} },
    headers: { 'idempotency-key': 'k' },
  })
  const ids = [ours, theirs, elsewhere].map(({ body }) => body.executionId)
  expect(new Set(ids).size).toBe(3)
  expect(theirs.headers.get('x-idempotent-replayed')).toBeNull()
})

it('counts for 600 s from the success of the run, which may take longer than that [IDC-01, IDC-10, X-67]', async () => {
  let now = 1_000_000
  const gate = onceGated()
  await using server = await served({ steps: { work: gate.step } }, { now: () => now })
  await server.publish(PLAN)
  const first = await start(server, 'slow')
  await gate.begun
  now += 11 * 60_000
  expect((await start(server, 'slow')).body.executionId).toBe(first.body.executionId)
  now += 9 * 60_000
  gate.open()
  await ended(server, first.body.executionId)
  await expect.poll(async () => (await start(server, 'slow')).headers.get('x-idempotent-replayed')).toBe('true')
  now += 600_000
  expect((await start(server, 'slow')).body.executionId).toBe(first.body.executionId)
  now += 1
  expect((await start(server, 'slow')).body.executionId).not.toBe(first.body.executionId)
})

it('a run that fails frees its key: the next start runs, and its success is kept [IDC-03]', async () => {
  let calls = 0
  const work = (): number => {
    calls += 1
    if (calls === 1) throw Object.assign(new Error('not today'), { retryable: false })
    return calls
  }
  await using server = await served({ steps: { work } })
  await server.publish(PLAN)
  const failed = await start(server, 'k')
  await ended(server, failed.body.executionId)
  const second = await expect
    .poll(async () => (await start(server, 'k')).body.executionId)
    .not.toBe(failed.body.executionId)
    .then(() => start(server, 'k'))
  await ended(server, second.body.executionId)
  expect((await start(server, 'k')).body.executionId).toBe(second.body.executionId)
  expect(calls).toBe(2)
})

it('a start that is refused does not burn its key', async () => {
  await using server = await served({ steps: { work: () => 1 } })
  expect((await start(server, 'k')).status).toBe(404)
  await server.publish(PLAN)
  expect((await start(server, 'k')).status).toBe(202)
})

it('a start whose commit got no answer may be there: the repeat finds it, and there is no second run [IDC-06, X-28]', async () => {
  const memory = openMemoryStore({ clock: { now: Date.now, steady: () => performance.now() } })
  let isAway = true
  const store: RunStore = {
    ...memory,
    commit: async (batch) => {
      const results = await memory.commit(batch)
      return isAway ? new Promise(() => undefined) : results
    },
  }
  await using server = await served({
    store,
    keysDirectory: testFolder(),
    steps: { work: () => 1 },
    stateStore: { writeLatencyBudgetMs: 50 },
    leaseMs: 500,
  })
  await server.publish(PLAN)
  const lost = await start(server, 'k')
  expect([lost.status, lost.body.error.code]).toEqual([503, 'STORE_WRITE_TIMEOUT'])
  isAway = false
  const again = await start(server, 'k')
  expect(again.status).toBe(202)
  await ended(server, again.body.executionId)
  const { executions } = (await server.call('GET /v1/executions')).body
  expect(executions.map(({ executionId }: { executionId: string }) => executionId)).toEqual([again.body.executionId])
})

it('a server that lost the key before it began starts nothing: it answers with the run of who has it [IDC-06]', async () => {
  const memory = openMemoryStore({ clock: { now: Date.now, steady: () => performance.now() } })
  let theirs = ''
  const store: RunStore = {
    ...memory,
    noteExecution: async (ref, owner, executionId) => {
      if (theirs !== '') return memory.noteExecution(ref, owner, executionId)
      // Stopped for longer than its lease: another server takes the key, and starts.
      const later = { now: Date.now() + 10_001, until: Date.now() + 20_001, ttlMs: 600_000 }
      const bodySha256 = sha256Bytes(canonicalText({ body: { planId: 'once', input: {} }, query: {} }))
      await memory.takeRequest({ ...ref, bodySha256, owner: 'another', ...later })
      const as = { ...LOCAL_PRINCIPAL, tenantId: 'acme', actorId: 'ana' }
      theirs = (await onBehalf(server.keelson, as).start({ planId: 'once' }, {})).runId
      await memory.noteExecution(ref, 'another', theirs)
      return memory.noteExecution(ref, owner, executionId)
    },
  }
  await using server = await served({ store, keysDirectory: testFolder(), steps: { work: () => 1 } })
  await server.publish(PLAN)
  const answer = await start(server, 'k')
  expect([answer.status, answer.body.executionId]).toEqual([202, theirs])
  expect((await server.call('GET /v1/executions')).body.executions).toHaveLength(1)
})

it('a stored answer is swept by a timer of 60 s once its 600 s are over, and by nothing after the end of the server [IDC-04]', async () => {
  const time = new VirtualTime()
  const timers = time.timers(() => true)
  const every = (ms: number, work: () => void): (() => void) => {
    let cancel = timers.after(ms, again)
    function again(): void {
      cancel = timers.after(ms, again)
      work()
    }
    return () => cancel()
  }
  await using server = await served({ steps: { work: () => 1 } }, { now: () => time.now(), every })
  const opened = time.now()
  const kept = async (): Promise<string> => {
    const ref = { tenantId: 'acme', route: 'startExecution', key: 'k' }
    const lease = { owner: 'another', now: opened, until: opened, ttlMs: 600_000 }
    return (await storeOf(server.keelson).takeRequest({ ...ref, bodySha256: new Uint8Array(32), ...lease })).kind
  }
  await server.publish(PLAN)
  const { body } = await start(server, 'k')
  await ended(server, body.executionId)
  await expect.poll(kept).toBe('answered')
  const sweeps: number[] = []
  for (let round = 1; round <= 11; round += 1) {
    expect(await kept(), `before sweep ${round}`).toBe('answered')
    time.fireNext()
    await time.quiet()
    sweeps.push(time.now() - opened)
  }
  expect(sweeps).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((count) => count * 60_000))
  expect(await kept()).toBe('taken')
  await server.close()
  expect(time.next()).toBeUndefined()
})

it('the timer of that sweep keeps no process alive [IDC-04, X-68]', () => {
  const module = new URL('../../src/edge/http/serve/sweep-requests.ts', import.meta.url).href
  const program = `import { sweepRequests } from '${module}'
    sweepRequests({ store: { sweepRequests: async () => 0 }, now: Date.now, tell: () => undefined })
    process.stdout.write('armed')`
  const { status, stdout, signal } = runChild(process.execPath, ['--input-type=module', '-e', program], {
    timeout: 50_000,
  })
  expect([status, stdout, signal]).toEqual([0, 'armed', null])
})

it('how long somebody waits is no part of what a key stands for: before the end, and after it [IDC-07, IDC-08, API-05]', async () => {
  const gate = onceGated()
  await using server = await served({ steps: { work: gate.step } })
  await server.publish(PLAN)
  const first = await start(server, 'k')
  const { executionId } = first.body
  const waiting = (how: string, headers = {}): Promise<Answered> =>
    server.call(`POST /v1/executions${how}`, {
      body: { planId: 'once', input: {} },
      headers: { 'idempotency-key': 'k', ...headers },
    })
  const early = await waiting('?mode=async')
  expect([first.status, early.status, early.body.executionId]).toEqual([202, 202, executionId])
  const waited = [waiting('?mode=sync'), waiting('', { prefer: 'respond-async; Wait = "30"' })]
  await gate.begun
  gate.open()
  await ended(server, executionId)
  const late = [await waiting('?mode=sync'), await waiting('', { prefer: 'wait=30' })]
  for (const { status, headers, body } of [...(await Promise.all(waited)), ...late]) {
    expect([status, body.executionId, body.status]).toEqual([200, executionId, 'COMPLETED'])
    expect(headers.get('x-idempotent-replayed')).toBe('true')
    expect(headers.get('etag')).toMatch(/^"[0-9a-f]{16}"$/)
    expect(headers.get('cache-control')).toBe('max-age=0, must-revalidate')
  }
  expect((await waiting('')).status).toBe(202)
})

it('the answer of a start that was waited for comes again with its tag, and to a repeat that does not wait as 202', async () => {
  await using server = await served({ steps: { work: () => 1 } })
  await server.publish(PLAN)
  const sync = (): Promise<Answered> =>
    server.call('POST /v1/executions?mode=sync', {
      body: { planId: 'once', input: {} },
      headers: { 'idempotency-key': 'k', 'if-none-match': '*' },
    })
  const first = await sync()
  await expect.poll(async () => (await start(server, 'k')).headers.get('x-idempotent-replayed')).toBe('true')
  const again = await sync()
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([200, first.text, first.headers.get('etag')])
  const unawaited = await start(server, 'k')
  expect([unawaited.status, unawaited.body]).toEqual([
    202,
    {
      executionId: first.body.executionId,
      status: 'COMPLETED',
      state: 'completed',
      checkUrl: expect.any(String),
      existed: true,
    },
  ])
  expect(unawaited.headers.get('location')).toBe(`/v1/executions/${first.body.executionId}`)
})
