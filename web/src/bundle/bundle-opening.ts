/**
 * A bundle on its way into the page, line by line: what is proved of it, and the run that its events make. It ends at the first line that
 * does not fit: what came before is proved, and nothing after it is shown.
 */
import {
  brokenAt,
  bundleReader,
  needHashed,
  needRunLine,
  type BundleLine,
} from '../../../src/core/bundle/bundle-lines.ts'
import type { BundleBody } from '../../../src/core/bundle/bundle-shape.ts'
import { isEventType, type LogRecord } from '../../../src/core/events/event.ts'
import { readRecord, type WrittenEvent } from '../../../src/core/events/read-record.ts'
import { foreignRecordSchema, recordSchema } from '../../../src/core/events/schemas.ts'
import type { Plan } from '../../../src/core/plan/plan.ts'
import { checkOf, type Check } from '../../../src/core/schema/check.ts'
import { RunHistory } from '../history/run-history.ts'
import { canonicalOf } from '../verify/canonical.ts'
import { ChainCheck } from '../verify/chain.ts'
import { hashOf } from '../verify/sha256.ts'

const HASHING = { canonical: canonicalOf, sha256Hex: (text: string): string => hashOf(text) }
/** What the row and every event name alike. */
const NAMED = ['runId', 'tenantId', 'projectId', 'environmentId', 'planId', 'planVersion'] as const

export class BundleOpening {
  readonly chain = new ChainCheck()
  /** Texts of large values, by their hashes. */
  readonly values = new Map<string, string>()
  history: RunHistory | undefined
  receipts = 0
  /** The log itself names the plan that is in the file. */
  isPlanOfLog = false
  readonly #reader = bundleReader(HASHING)
  readonly #checks = new Map<string, Check>()
  #run: BundleBody = {}
  #plan: { readonly plan: Plan; readonly sha256: unknown } | undefined

  get lines(): number {
    return this.#reader.lines.length
  }

  get run(): BundleBody {
    return this.#run
  }

  /** Throws BUNDLE_BROKEN. */
  take(text: string): void {
    const line = this.#reader.take(text)
    if (line.number === 1) {
      needRunLine(line)
      this.#run = line.body
    }
    needHashed(line, this.#run['planSha256'], HASHING)
    const { part, body } = line
    if (part === 'plan') this.#plan = { plan: JSON.parse(String(body['text'])) as Plan, sha256: body['sha256'] }
    if (part === 'event') this.#takeEvent(line)
    if (part === 'blob') this.values.set(String(body['sha256']), String(body['text']))
    if (part === 'receipt') this.receipts += 1
  }

  /** After the last line. Throws BUNDLE_BROKEN. */
  end(): void {
    this.#reader.end()
    if (this.history === undefined) brokenAt(this.lines, 'it has no event')
    if (this.chain.head !== this.#run['headHash']) brokenAt(1, 'its log does not end at the head that the run names')
  }

  #takeEvent({ number, body }: BundleLine): void {
    const event = body as unknown as WrittenEvent
    this.chain.add(event)
    const { broken } = this.chain
    if (broken !== undefined) brokenAt(number, `event ${broken.runSeq}: ${broken.what}`)
    const read = readRecord(event, (type) => this.#checkFor(type))
    if (!read.ok) return brokenAt(number, read.problems[0].message)
    const record = read.value
    const other = NAMED.find((name) => record[name] !== this.#run[name])
    if (other !== undefined) brokenAt(1, `its ${other} is not that of its events`)
    this.#notePlan(record, number)
    this.#fold(record, number)
  }

  #notePlan({ eventType, payload }: LogRecord, line: number): void {
    const origin = payload?.['origin'] as { readonly planSha256?: unknown } | undefined
    const planRef = payload?.['planRef'] as { readonly sha256?: unknown } | undefined
    const named = eventType === 'RunStarted' ? planRef?.sha256 : origin?.planSha256
    if (named === undefined || this.#plan === undefined) return
    if (named !== this.#plan.sha256) brokenAt(line, 'it names another plan than the one in the file')
    this.isPlanOfLog = true
  }

  /** What the core cannot fold, no part of the page could show. */
  #fold(record: LogRecord, line: number): void {
    const before = this.history?.records ?? []
    try {
      this.history ??= this.#newHistory(record.runId)
      this.history.add([record])
      this.history.snapshotAt(record.runSeq)
      this.history.stateAt(record.runSeq)
    } catch (thrown) {
      const whole = before.filter(({ runSeq }) => runSeq < record.runSeq)
      this.history = whole.length === 0 ? undefined : this.#newHistory(record.runId)
      this.history?.add(whole)
      brokenAt(line, `event ${record.runSeq} cannot be folded: ${thrown instanceof Error ? thrown.message : ''}`)
    }
  }

  #newHistory(runId: string): RunHistory {
    return new RunHistory(runId, this.#plan?.plan, String(this.#run['engineType']))
  }

  #checkFor(type: string): Check {
    const known = this.#checks.get(type)
    if (known !== undefined) return known
    const check = checkOf(isEventType(type) ? recordSchema(type) : foreignRecordSchema())
    this.#checks.set(type, check)
    return check
  }
}
