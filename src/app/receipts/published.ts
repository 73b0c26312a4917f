/**
 * Signed statements about the publications of plans. Who may change the store can delete or exchange a publication, and no log
 * shows it. Each statement names rows by their position and has a number, so that a removed statement leaves a gap.
 */
import { isoFromMs } from '../../core/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EvidenceStore, Publication } from '../../ports/evidence.ts'
import type { ReceiptBook, ReceiptKey } from '../../ports/receipts.ts'
import { canonicalText } from '../log/canonical.ts'
import { isSignature, signedLine } from './receipts.ts'

interface Statement {
  readonly receipt: 'keelson-1'
  readonly kind: 'published'
  readonly keyId: string
  readonly issuedAt: string
  /** From 1. Two processes may use the same number; no number is left out. */
  readonly number: number
  /** After a restore: statements about later positions no longer count. */
  readonly restoredTo?: number
  readonly publications: readonly Publication[]
}

export interface SignedPublication extends Publication {
  readonly issuedAt: string
}

export interface SignedPublications {
  readonly byPosition: ReadonlyMap<number, SignedPublication>
  /** Numbers of the statements that count. */
  readonly numbers: ReadonlySet<number>
  /** Numbers of statements that no known key signed. */
  readonly unsigned: ReadonlySet<number>
}

type Publications = Pick<EvidenceStore, 'pagePublications'>

const PAGE = 500
/** Positions are assigned before their transactions end: a slightly lower position may become visible a little later. */
const STRAGGLERS = 100

export async function signedPublications(
  { lines }: Pick<ReceiptBook, 'lines'>,
  keys: readonly ReceiptKey[],
): Promise<SignedPublications> {
  const byPosition = new Map<number, SignedPublication>()
  const numbers = new Set<number>()
  const unsigned = new Set<number>()
  for await (const line of lines.readPublished()) {
    const found = readStatement(line)
    if (found === undefined) continue
    const { body, text, signature } = found
    const key = keys.find(({ keyId }) => keyId === body.keyId)
    if (key === undefined || !isSignature(text, signature, key.publicKey)) {
      unsigned.add(body.number)
      continue
    }
    numbers.add(body.number)
    const { restoredTo = Infinity, issuedAt } = body
    for (const position of byPosition.keys()) if (position > restoredTo) byPosition.delete(position)
    for (const one of body.publications) byPosition.set(one.position, { ...one, issuedAt })
  }
  return { byPosition, numbers, unsigned }
}

export function highest(numbers: Iterable<number>): number {
  let found = 0
  for (const one of numbers) found = Math.max(found, one)
  return found
}

/** Signs publications that no statement names yet. A row that differs from its statement is not signed again; it is reported. */
export class PublicationSigner {
  readonly #store: Publications
  readonly #book: ReceiptBook
  readonly #clock: Clock
  #signed: Set<number> | undefined
  #number = 0

  constructor(store: Publications, book: ReceiptBook, clock: Clock) {
    this.#store = store
    this.#book = book
    this.#clock = clock
  }

  /** Answers how many. */
  async sign(): Promise<number> {
    if (this.#signed === undefined && (await this.#store.pagePublications(0, 1)).length === 0) return 0
    const signed = (this.#signed ??= await this.#read())
    let count = 0
    for (let after = highest(signed) - STRAGGLERS; ;) {
      const page = await this.#store.pagePublications(Math.max(0, after), PAGE)
      const fresh = page.filter(({ position }) => !signed.has(position))
      if (fresh.length > 0) {
        await state(this.#book, { number: this.#number + 1, publications: fresh }, this.#clock.now())
        this.#number += 1
        for (const { position } of fresh) signed.add(position)
        count += fresh.length
      }
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return count
      after = last.position
    }
  }

  async #read(): Promise<Set<number>> {
    const { byPosition, numbers } = await signedPublications(this.#book, await this.#book.keys.known())
    this.#number = highest(numbers)
    return new Set(byPosition.keys())
  }
}

/** After a restore: publications that came after the backup are gone, and that is no forgery. */
export async function witnessPublications(store: Publications, book: ReceiptBook, now: number): Promise<void> {
  const { byPosition, numbers } = await signedPublications(book, await book.keys.known())
  const last = highest(byPosition.keys())
  if (last === 0) return
  let restoredTo = 0
  for (let page = await store.pagePublications(0, PAGE); page.length > 0;) {
    restoredTo = page.at(-1)?.position ?? restoredTo
    page = await store.pagePublications(restoredTo, PAGE)
  }
  if (restoredTo >= last) return
  await state(book, { number: highest(numbers) + 1, restoredTo, publications: [] }, now)
}

async function state(
  { keys, lines }: ReceiptBook,
  said: Pick<Statement, 'number' | 'restoredTo' | 'publications'>,
  now: number,
): Promise<void> {
  const signer = await keys.current()
  const body: Statement = {
    receipt: 'keelson-1',
    kind: 'published',
    keyId: signer.keyId,
    issuedAt: isoFromMs(now),
    ...said,
  }
  await lines.appendPublished(await signedLine(signer, body))
}

/** Undefined when the line is no statement: torn, or of a later version. */
function readStatement(
  line: string,
): { readonly body: Statement; readonly text: string; readonly signature: string } | undefined {
  try {
    const { body, signature } = JSON.parse(line) as { body?: Partial<Statement>; signature?: unknown }
    const isOne =
      body?.receipt === 'keelson-1' &&
      body.kind === 'published' &&
      typeof body.keyId === 'string' &&
      typeof body.issuedAt === 'string' &&
      Number.isSafeInteger(body.number) &&
      Array.isArray(body.publications) &&
      body.publications.every((one) => Number.isSafeInteger((one as Partial<Publication> | null)?.position))
    if (!isOne || typeof signature !== 'string') return undefined
    return { body: body as Statement, text: canonicalText(body), signature }
  } catch {
    return undefined
  }
}
