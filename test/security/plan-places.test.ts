/** Attacks by a reference that says two things: its place, its hash, its id, its version and its format must all mean one plan. */
import canonicalize from 'canonicalize'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { loadPlan, openKeelson, type CompiledPlan, type Keelson } from '../../src/main.ts'

const child = (who: string, version = '1.0.0', planId = 'pay'): CompiledPlan =>
  loadPlan(`{ plan: ${planId}, version: ${version}, steps: [{ id: s, run: say, with: { who: ${who} } }] }`)
const ref = { planId: 'pay', planVersion: '1.0.0', schemaVersion: 'v1.0' }
const parentText = (reference: object): string =>
  JSON.stringify({ plan: 'order', version: '1.0.0', steps: [{ id: 'call', plan: reference }] })

/** As a program would make it that leaves the compiler out. */
function forged(reference: object): CompiledPlan {
  const { plan } = loadPlan(parentText({ planId: 'pay' }))
  const [step] = plan.steps
  const changed = { ...plan, steps: [{ ...step, plan: reference }] } as CompiledPlan['plan']
  const text = canonicalize(changed) ?? ''
  return { plan: changed, text, sha256: createHash('sha256').update(text).digest('hex') }
}

async function started(keelson: Keelson, make: () => CompiledPlan): Promise<string> {
  try {
    const run = await keelson.start(make())
    return (await run.result()).status
  } catch (thrown) {
    return (thrown as { code: string }).code
  }
}

const open = (): Promise<Keelson> =>
  openKeelson({ directory: ':memory:', replaceVersion: true, steps: { say: ({ who }: { who: string }) => who } })

describe('a reference to a child plan', () => {
  it('is refused for each pair of its fields that contradict each other, by the compiler or before anything is written', async () => {
    await using keelson = await open()
    const mine = await keelson.publish(child('me'))
    const other = await keelson.publish(child('other', '2.0.0'))
    await keelson.publish(child('third', '1.0.0', 'third'))
    const right = { ...ref, sha256: mine, uri: `plan:sha256:${mine}` }
    const wrong = {
      planId: 'third',
      planVersion: '2.0.0',
      schemaVersion: 'v1.1',
      sha256: other,
      uri: `plan:sha256:${other}`,
    }
    const names = Object.keys(right) as (keyof typeof right)[]
    const verdicts: Record<string, readonly string[]> = {}
    for (let chosen = 0; chosen < 1 << names.length; chosen += 1) {
      const bad = names.filter((_, at) => (chosen >> at) % 2 === 1)
      const said = { ...right, ...Object.fromEntries(bad.map((name) => [name, wrong[name]])) }
      verdicts[bad.join(' ')] = [
        await started(keelson, () => loadPlan(parentText(said))),
        await started(keelson, () => forged(said)),
      ]
    }
    // The whole of the other plan, its place included, is no contradiction.
    const isOne = (bad: string): boolean => bad === '' || bad === 'planVersion sha256 uri'
    expect(verdicts).toEqual(
      Object.fromEntries(
        Object.keys(verdicts).map((bad) => {
          const verdict = isOne(bad) ? 'COMPLETED' : 'PLAN_INTEGRITY_VALIDATION_FAILED'
          return [bad, [verdict, verdict]]
        }),
      ),
    )
  })

  it.each([
    'https://plans.example/pay.json',
    'file:///etc/passwd',
    'PLAN:SHA256:' + 'e'.repeat(64),
    'plan:sha256:' + 'E'.repeat(64),
    'plan:sha256:' + 'e'.repeat(63),
    `plan:sha256:${'e'.repeat(64)}?x`,
    ` plan:sha256:${'e'.repeat(64)}`,
    `plan:sha512:${'e'.repeat(64)}`,
    'plan:pay@1.0.0',
  ])('that leads to %s is refused, though the bytes of its hash are here', async (uri) => {
    await using keelson = await open()
    const sha256 = await keelson.publish(child('me'))
    for (const make of [() => loadPlan(parentText({ ...ref, sha256, uri })), () => forged({ ...ref, sha256, uri })])
      expect(await started(keelson, make)).toBe('PLAN_URI_NOT_ALLOWED')
    expect((await keelson.list()).runs).toEqual([])
  })

  it('tells the line where its place contradicts its hash', () => {
    const text = `plan: order
version: 1.0.0
steps:
  - id: call
    plan:
      planId: pay
      sha256: ${'a'.repeat(64)}
      uri: plan:sha256:${'b'.repeat(64)}
`
    const problem = {
      code: 'PLAN_INTEGRITY_VALIDATION_FAILED',
      pointer: '/steps/0/plan/uri',
      at: { line: 8, column: 12, length: 76 },
      message: `'uri' leads to the hash ${'b'.repeat(64)}, and 'sha256' says ${'a'.repeat(64)}`,
      retryable: false,
    }
    expect(() => loadPlan(text)).toThrowError(expect.objectContaining({ problems: [problem] }) as Error)
  })
})
