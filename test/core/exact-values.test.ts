/** Values come into a run as they are, or not at all: numbers, characters and bytes never change on the way. */
import { describe, expect, it } from 'vitest'
import { stepHandlers } from '../../src/adapters/handlers/step-handlers.ts'
import { loadPlan, openKeelson, type StepFunctions } from '../../src/main.ts'
import type { Egress } from '../../src/ports/egress.ts'
import { World } from '../fixtures/virtual-world.ts'

const ONE = 'plan: p\nversion: 1.0.0\npolicy: { retry: { maxAttempts: 1 } }\n'

interface Sent {
  readonly body: string | Uint8Array
  readonly type?: string
}

async function answered({ body, type = 'application/json' }: Sent, fields = '') {
  const world = new World()
  const egress: Egress = {
    send: async ({ url }) => ({
      url,
      status: 200,
      headers: { 'content-type': type },
      body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    }),
  }
  const process = world.process('p', { services: { handlers: stepHandlers({ functions: {}, egress }) } })
  const plan = `steps: [{ id: a, http: { url: 'http://bank.example/x'${fields} } }]`
  const run = await process.start(plan)
  await world.advanceBy(3_600_000)
  const records = world.records(run)
  return {
    output: records.find((one) => one.eventType === 'StepCompleted')?.data?.['result'],
    failed: records.find((one) => one.eventType === 'StepFailed'),
  }
}

describe('an http answer', () => {
  it.each([
    ['{"id": 9007199254740993}', /9007199254740993 is beyond .* \(line 1, column 8, at \/id\)/],
    ['[1e400]', /too large \(line 1, column 2, at \/0\)/],
    ['{"a": 1, "a": 2}', /'a' is written twice/],
    ['["\\ud800"]', /half of a Unicode character/],
    ['{"a": nan}', /a JSON value belongs here \(line 1, column 7, at \/a\)/],
  ])('%s that would be changed is RESPONSE_INVALID with its place, and not tried again', async (body, message) => {
    const { failed } = await answered({ body })
    expect(failed).toMatchObject({
      payload: { error: { code: 'RESPONSE_INVALID', retryable: false }, final: true },
      data: { errorText: { message: expect.stringMatching(message) as string } },
    })
  })

  it('keeps such whole numbers as text with the same digits when the step says bigints: text', async () => {
    const { output } = await answered({ body: '{"id": 9007199254740993, "n": 1}' }, ', bigints: text')
    expect(output).toEqual({ id: '9007199254740993', n: 1 })
  })

  it.each([
    [{ body: new Uint8Array([0x22, 0xe9, 0x22]) }, '', /0xe9 \(number 2\) is not UTF-8/],
    [
      { body: new Uint8Array([0xe9]), type: 'text/plain; charset=ISO-8859-1' },
      ', expect: text',
      /charset 'iso-8859-1'/,
    ],
    [{ body: new Uint8Array([0x61, 0]), type: 'text/plain; charset="UTF-16LE"' }, ', expect: text', /utf-16le/],
    [{ body: new Uint8Array([0xff, 0xfe, 0x61, 0]), type: 'text/plain' }, ', expect: text', /UTF-16/],
  ])('in another charset is refused rather than read wrong: %s', async (sent, fields, message) => {
    const { failed } = await answered(sent, fields)
    expect(failed).toMatchObject({
      payload: { error: { code: 'RESPONSE_INVALID' } },
      data: { errorText: { message: expect.stringMatching(message) as string } },
    })
  })

  it('that names another charset and uses none of it is read', async () => {
    const { output } = await answered({ body: '{"a":1}', type: 'application/json; charset=iso-8859-1' })
    expect(output).toEqual({ a: 1 })
  })
})

const returned = async (handler: StepFunctions[string]) => {
  await using keelson = await openKeelson({ directory: ':memory:', steps: { f: handler } })
  const run = await keelson.start(loadPlan(`${ONE}steps: [{ id: a, run: f }]`))
  await run.result()
  return (await run.records()).find(({ eventType }) => eventType === 'StepFailed')
}

describe('what a function returns', () => {
  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  it.each([
    ['a BigInt', { order: { ids: [1n] } }, '/order/ids/0'],
    ['NaN', { a: [0, Number.NaN] }, '/a/1'],
    ['infinity', { a: -Infinity }, '/a'],
    ['half a character', { 'x/y': 'ab\ud800' }, '/x~1y'],
    ['a Map', { m: new Map() }, '/m'],
    ['bytes', { b: new Uint8Array(2) }, '/b'],
    ['itself', { circle }, '/circle'],
  ])('%s is OUTPUT_INVALID with its place', async (_what, value, place) => {
    expect(await returned(() => value)).toMatchObject({
      payload: { error: { code: 'OUTPUT_INVALID' } },
      data: { errorText: { message: expect.stringContaining(`It is at ${place}`) as string } },
    })
  })

  it('larger than 10 MiB is refused with its size and the limit', async () => {
    expect(await returned(() => 'x'.repeat(10 * 1024 * 1024))).toMatchObject({
      payload: { error: { code: 'OUTPUT_INVALID' } },
      data: { errorText: { message: 'the output has 10485762 bytes; at most 10485760 are allowed' } },
    })
    expect(await returned(() => 'x'.repeat(10 * 1024 * 1024 - 2))).toBeUndefined()
  })
})

describe('what a program hands in', () => {
  const MANUAL = `${ONE}steps: [{ id: a, manual: { title: look } }]`

  it.each([
    ['a BigInt', { n: 1n }, '/n'],
    ['NaN', { n: Number.NaN }, '/n'],
    ['half a character', { n: ['\udfff'] }, '/n/0'],
  ])('as input: %s is RUN_INPUT_INVALID with its place, and no run is made', async (_what, input, place) => {
    await using keelson = await openKeelson({ directory: ':memory:', steps: { f: () => 1 } })
    await expect(keelson.start(loadPlan(`${ONE}steps: [{ id: a, run: f }]`), input)).rejects.toMatchObject({
      code: 'RUN_INPUT_INVALID',
      message: expect.stringContaining(`at ${place}.`) as string,
    })
    expect(await keelson.runs().next()).toMatchObject({ done: true })
  })

  it.each([
    ['a BigInt', 1n],
    ['NaN', { score: Number.NaN }],
    ['half a character', '\ud800'],
  ])('as the result of a task: %s is refused, and the task stays open', async (_what, result) => {
    await using keelson = await openKeelson({ directory: ':memory:' })
    const run = await keelson.start(loadPlan(MANUAL))
    const [task] = await run.tasks()
    const completion = { completionToken: task?.token ?? '', outcome: 'Succeeded', actorUserId: 'ana', result } as const
    await expect(run.completeTask(completion)).rejects.toMatchObject({ code: 'TASK_COMPLETION_INVALID' })
    expect(await run.tasks()).toHaveLength(1)
    await run.cancel()
  })

  it('as a signal: half a character is refused, and nothing is recorded', async () => {
    await using keelson = await openKeelson({ directory: ':memory:' })
    const run = await keelson.start(loadPlan(MANUAL))
    const before = (await run.records()).length
    await expect(run.signal('UPDATE_PARAMS', { params: { n: '\ud800' } })).rejects.toMatchObject({
      code: 'SIGNAL_INVALID_PAYLOAD',
    })
    expect(await run.records()).toHaveLength(before)
    await run.cancel()
  })
})

describe('a plan', () => {
  it.each([
    ['yaml', '9007199254740993'],
    ['yaml', '0x20000000000001'],
    ['yaml', '0o400000000000000001'],
    ['yaml', '+9007199254740993'],
    ['yaml', '9007199254740993.0'],
    ['yaml', '1e400'],
    ['yaml', '1e-400'],
    ['yaml', '.nan'],
    ['json', '9007199254740993'],
    ['json', '1e400'],
    ['json', '1e-400'],
  ])('in %s with the number %s is refused where it stands', (format, number) => {
    const yaml = `plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: f, with: { n: ${number} } }`
    const json = `{"plan":"p","version":"1.0.0",\n\n"steps":[\n{"id":"a","run":"f","with":{"n":${number}}}]}`
    const load = (): unknown => loadPlan(format === 'yaml' ? yaml : json, `p.${format}`)
    expect(load).toThrow(
      expect.objectContaining({
        code: 'PLAN_VALUE_UNSUPPORTED',
        problems: [expect.objectContaining({ at: expect.objectContaining({ line: 4 }) as unknown })],
      }) as Error,
    )
  })

  it('whose description is too long is told how long it is and may be', () => {
    const plan = `plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: f, description: ${'x'.repeat(65_537)} }]`
    expect(() => loadPlan(plan)).toThrow("'description' has 65537 characters; at most 65536 are allowed")
  })
})
