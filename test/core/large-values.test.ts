/** Values too large for an event: stored beside it by hash, read back as if they were in it, taken along by a fork. */
import { describe, expect, it } from 'vitest'
import { forkRun } from '../../src/app/start/fork-run.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { sha256Hex } from '../../src/app/log/sha256.ts'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import { World, type Process, type Script } from '../fixtures/virtual-world.ts'

const KIB = 1024

async function ran(plan: string, script: Script) {
  const world = new World()
  const process = world.process('p', { script })
  const run = await process.start(plan)
  await world.runUntil(() => world.hasEnded(run))
  const blobs = (of: RunKey = run): string[] => [...(world.disk.runs[of - 1]?.blobs.values() ?? [])]
  return { world, process, run, blobs, inputs: () => world.calls.map((call) => call.input) }
}

function completed(world: World, run: RunKey, stepId: string): LogRecord | undefined {
  return world.records(run).find((record) => record.eventType === 'StepCompleted' && record.stepId === stepId)
}

async function fork(process: Process, world: World, run: RunKey, from?: string): Promise<RunKey> {
  const answer = await forkRun(process.services, process.advancer, {
    row: world.row(run),
    principal: LOCAL_PRINCIPAL,
    engine: { engineType: 'embedded', maxInFlight: 10 },
    lease: process.engine.lease(),
    ...(from === undefined ? {} : { from }),
  })
  if (answer.kind === 'started') process.engine.drive(answer.row.runKey, answer.report)
  await world.runUntil(() => world.hasEnded(answer.row.runKey))
  return answer.row.runKey
}

describe('an output', () => {
  const plan = "steps: [{ id: a, run: f }, { id: b, run: g, with: { got: '${steps.a.output}' } }]"

  it('of 64 KiB stands in its event; one byte more is offloaded, and the next step reads it all the same [SEC-05, P-43]', async () => {
    for (const extra of [0, 1]) {
      const output = 'x'.repeat(64 * KIB - 2 + extra)
      const { world, run, blobs, inputs } = await ran(plan, { f: () => output })
      const event = completed(world, run, 'a')
      const text = JSON.stringify(output)
      expect(text.length).toBe(64 * KIB + extra)
      expect(inputs()[1]).toEqual({ got: output })
      if (extra === 0) {
        expect([event?.data, event?.payload?.['resultRef'], blobs()]).toEqual([{ result: output }, undefined, []])
      } else {
        expect(event?.payload?.['resultRef']).toEqual({ sha256: sha256Hex(text), sizeBytes: text.length })
        expect([event?.data?.['result'], blobs()]).toEqual([undefined, [text]])
      }
    }
  })

  it('that holds bytes fails the step and tells where bytes belong [SEC-05, STO-26]', async () => {
    for (const bytes of [Buffer.from('x'), new Uint8Array(2), new ArrayBuffer(2), new DataView(new ArrayBuffer(2))]) {
      const { world, run, blobs } = await ran(plan, { f: () => ({ file: bytes }) })
      const failed = world.records(run).find((record) => record.eventType === 'StepFailed')
      expect(failed?.payload).toMatchObject({
        final: true,
        error: { code: 'OUTPUT_INVALID', errorClass: 'validation' },
      })
      expect(JSON.stringify(failed?.data)).toContain('artifact')
      expect(blobs()).toEqual([])
    }
  })
})

describe('a capture', () => {
  const plan = `steps:
  - { id: a, run: f, capture: [{ destination: v.text, transform: large }, { destination: list, merge: append, transform: small }] }
  - { id: b, run: g, with: { length: '\${length(context.v.text)}', list: '\${context.list}' } }
  - { id: c, run: f, capture: [{ destination: v.text, transform: large }] }
  - { id: d, run: g, with: { v: '\${context.v}' }, if: context.v.text }`

  it('above 16 KiB is stored by reference with its event, and expressions read it as ever [P-05, P-16, DFL-03]', async () => {
    const large = 'y'.repeat(17 * KIB)
    const { world, run, inputs, blobs } = await ran(plan, { f: () => ({ large, small: 1 }) })
    expect(world.row(run).status).toBe('COMPLETED')
    const event = completed(world, run, 'a')
    const text = JSON.stringify(large)
    const ref = { sha256: sha256Hex(text), sizeBytes: text.length }
    expect(event?.payload?.['captures']).toEqual([
      { path: 'v.text', mode: 'replace', ref },
      { path: 'list', mode: 'append' },
    ])
    expect(event?.data?.['captureValues']).toEqual([null, 1])
    expect(inputs()[1]).toEqual({ length: large.length, list: [1] })
    expect(inputs()[3]).toEqual({ v: { text: large } })
    expect(blobs()).toContain(text)
    expect(blobs()).toContain(JSON.stringify({ text: large }))
  })

  it('is read by whoever takes the run over, and every decision follows from the log [P-16, P-01]', async () => {
    const world = new World()
    const large = 'z'.repeat(40 * KIB)
    const script: Script = { f: () => ({ large, small: 1 }), g: 'hold' }
    const first = world.process('p', { script })
    const run = await first.start(plan)
    await world.runUntil(() => world.calls.length === 2)
    first.kill()
    const second = world.process('q', { script: { ...script, g: () => 1 }, adoptOthers: true })
    await world.runUntil(() => world.hasEnded(run))
    expect(world.calls.at(-1)?.input).toEqual({ v: { text: large } })
    const loaded = await second.advancer.plans.get('local', world.row(run).planSha256)
    expect(verifyDecisions(world.records(run), loaded)).toMatchObject({ differences: [], notDerivable: [] })
  })
})

describe('a fork', () => {
  it('takes a result above 64 KiB over into a run of its own [P-43, P-31]', async () => {
    const output = { text: 'w'.repeat(100 * KIB) }
    const plan = "steps: [{ id: a, run: f }, { id: b, run: g, with: { got: '${steps.a.output.text}' } }]"
    const { world, process, run, blobs } = await ran(plan, { f: () => output })
    const next = await fork(process, world, run, 'b')
    expect(world.called()).toEqual(['a#1/1', 'b#1/1', 'b#1/1'])
    expect(world.calls[2]?.input).toEqual({ got: output.text })
    expect(blobs(next)).toEqual([JSON.stringify(output)])
    expect(completed(world, next, 'a')?.payload).toMatchObject({
      reusedFrom: { runSeq: 4 },
      resultRef: { sizeBytes: 100 * KIB + 11 },
    })
  })

  it('takes over the list of a fan-out whose items are small and whose whole is not', async () => {
    const plan = `context: { items: [1, 2, 3, 4] }
steps: [{ id: a, forEach: context.items, run: f }, { id: b, run: g, with: { n: '\${length(steps.a.output)}', last: '\${length(steps.a.output[3])}' } }]`
    const { world, process, run, blobs } = await ran(plan, { f: () => 'v'.repeat(20 * KIB) })
    const next = await fork(process, world, run, 'b')
    expect(world.calls.at(-1)?.input).toEqual({ n: 4, last: 20 * KIB })
    expect(world.called('f')).toHaveLength(4)
    expect(blobs(next)).toHaveLength(1)
  })
})
