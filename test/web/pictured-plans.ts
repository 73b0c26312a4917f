/** Plans as people write them, for the pictures of the guides: an order, a trip that is undone, a release that waits, a nightly load. */
import type { StepFunctions } from '../../src/main.ts'
import { onceGated } from '../server/gated-step.ts'

const ORDER = `
plan: order-fulfilment
version: 1.4.0
inputs: { type: object, properties: { items: { type: array, items: { type: integer } } } }
policy: { concurrency: 8 }
steps:
  - { id: reserve, run: work, with: { ms: 80 }, compensate: { run: work } }
  - { id: charge, run: flaky, dependsOn: [reserve], retry: { maxAttempts: 3, initialBackoff: 60ms } }
  - { id: pack, dependsOn: [charge], forEach: input.items, run: pack, with: { n: '\${item}' }, retry: { maxAttempts: 2, initialBackoff: 5ms } }
  - { id: express, dependsOn: [charge], if: 'length(input.items) > \`500\`', run: work }
  - { id: label, dependsOn: [charge], run: work, with: { ms: 120 } }
  - { id: invoice, dependsOn: [charge], run: declined, retry: { maxAttempts: 1 }, fallback: { run: work } }
  - { id: release, dependsOn: [pack, label, express], run: work, with: { ms: 60 } }
  - { id: notify, dependsOn: [release, invoice], run: work, with: { ms: 30 } }
`

const TRIP = `
plan: trip
version: 2.0.0
steps:
  - { id: quote, run: work, with: { ms: 40 } }
  - { id: flight, dependsOn: [quote], run: work, with: { ms: 90 }, compensate: { run: work } }
  - { id: hotel, dependsOn: [quote], run: work, with: { ms: 70 }, compensate: { run: work } }
  - { id: car, dependsOn: [hotel], run: work, with: { ms: 50 }, compensate: { run: work } }
  - { id: pay, dependsOn: [flight, car], run: declined, retry: { maxAttempts: 2, initialBackoff: 80ms } }
  - { id: confirm, dependsOn: [pay], run: work }
`

const RELEASE = `
plan: release
version: 0.9.2
steps:
  - { id: build, run: work, with: { ms: 60 } }
  - { id: checks, dependsOn: [build], run: work, with: { ms: 90 } }
  - id: sign
    dependsOn: [checks]
    manual: { title: Sign the release, instructions: Read the report of the checks first., evidenceSchema: { type: object, properties: { ticket: { type: string }, risk: { type: string, enum: [low, high] } } } }
  - { id: roll-out, dependsOn: [sign], run: work, effect: irreversible }
  - { id: tell, dependsOn: [roll-out], run: work }
`

const IMPORT = `
plan: import
version: 3.1.0
steps:
  - { id: fetch, run: work, with: { ms: 40 } }
  - { id: load, dependsOn: [fetch], run: held }
  - { id: check, dependsOn: [load], run: work }
`

const REGIONS = ['eu', 'us', 'ap', 'sa']
const PER_REGION = 110

/** Many steps whose names begin alike: more than are drawn one by one. */
export function manySteps(perRegion: number): readonly string[] {
  return REGIONS.flatMap((region) => {
    const numbers = Array.from({ length: perRegion }, (_, at) => String(at).padStart(4, '0'))
    return [
      ...numbers.map((at) => `  - { id: extract-${region}-${at}, dependsOn: [plan], run: work }`),
      ...numbers.map((at) => `  - { id: load-${region}-${at}, dependsOn: [extract-${region}-${at}], run: work }`),
      `  - { id: merge-${region}, dependsOn: [${numbers.map((at) => `load-${region}-${at}`).join(', ')}], run: work }`,
    ]
  })
}

export function loadPlanText(perRegion: number): string {
  const merges = REGIONS.map((region) => `merge-${region}`).join(', ')
  return `
plan: nightly-load
version: 7.0.0
steps:
  - { id: plan, run: work }
${manySteps(perRegion).join('\n')}
  - { id: report, dependsOn: [${merges}], run: work }
`
}

export const PICTURED: readonly string[] = [ORDER, TRIP, RELEASE, IMPORT, loadPlanText(PER_REGION)]

export interface PictureSteps {
  readonly steps: StepFunctions
  /** Lets the step go that is at work. */
  readonly release: () => void
}

/** Steps that take as long as they are told, so that a timeline has something to show. */
export function pictureSteps(): PictureSteps {
  const gate = onceGated()
  const tried = new Set<string>()
  const isFirst = (key: string): boolean => !tried.has(key) && tried.add(key).size > 0
  const lasting = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))
  const steps = {
    work: async (input: unknown) => {
      await lasting(Number((input as { readonly ms?: number } | null)?.ms ?? 0))
      return { done: true }
    },
    held: gate.step,
    declined: async () => {
      await lasting(40)
      throw Object.assign(new Error('the card was declined by the bank'), { code: 'CARD_DECLINED' })
    },
    flaky: async (_input: unknown, { runId }: { readonly runId: string }) => {
      await lasting(50)
      if (isFirst(runId)) throw Object.assign(new Error('the gateway is busy'), { code: 'HTTP_503', status: 503 })
      return { charged: true }
    },
    pack: async ({ n }: { readonly n: number }, { runId }: { readonly runId: string }) => {
      await lasting(15 + ((n * 7) % 40))
      if (n % 17 === 3 && isFirst(`${runId} ${n}`)) throw Object.assign(new Error('the scale is busy'), { status: 503 })
      return n
    },
  }
  return { steps, release: () => gate.open() }
}
