/** Compares publications of plans with the signed statements about them (src/app/receipts/published.ts). */
import { LOCAL_TENANT } from '../../core/local-tenant.ts'
import type { Publication } from '../../ports/evidence.ts'
import type { ReceiptBook, ReceiptKey } from '../../ports/receipts.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { highest, signedPublications, type SignedPublication } from '../receipts/published.ts'
import { altered, type EvidenceFinding } from '../sides/finding.ts'

interface PublishedCheck {
  readonly store: Pick<RunStore, 'pagePublications'>
  readonly book: ReceiptBook
  /** Only statements of this key count. */
  readonly demanded?: ReceiptKey
}

const PAGE = 200
/** How many gaps are reported: the first ones are enough to show that statements were deleted. */
const SHOWN = 20

export async function checkPublished({ store, book, demanded }: PublishedCheck): Promise<readonly EvidenceFinding[]> {
  const keys = demanded === undefined ? await book.keys.known() : [demanded]
  const { byPosition, numbers, unsigned } = await signedPublications(book, keys)
  const open = new Map(byPosition)
  const findings: EvidenceFinding[] = []
  for (let after = -1; open.size > 0;) {
    const page = await store.pagePublications(after, PAGE)
    for (const row of page) {
      const said = open.get(row.position)
      open.delete(row.position)
      if (said !== undefined && !isSame(said, row)) findings.push(other(said, row))
    }
    const last = page.at(-1)
    if (last === undefined) break
    after = last.position
  }
  // Without a key nothing is known about the statements; a caller that names a key asks only about the statements of that key.
  const foreign = keys.length === 0 || demanded !== undefined ? [] : [...unsigned].slice(0, SHOWN)
  return [...findings, ...[...open.values()].map(gone), ...gaps(numbers, unsigned), ...foreign.map(unproved)]
}

function isSame(a: Publication, b: Publication): boolean {
  const isSamePlan = a.planId === b.planId && a.planVersion === b.planVersion && a.sha256 === b.sha256
  return a.tenantId === b.tenantId && isSamePlan && a.source === b.source
}

function told({ planId, planVersion, sha256, tenantId, issuedAt }: SignedPublication): string {
  const whose = tenantId === LOCAL_TENANT ? '' : ` by tenant ${tenantId}`
  return `${planId} ${planVersion} was published${whose} as ${sha256}, says a statement signed at ${issuedAt}`
}

function gone(said: SignedPublication): EvidenceFinding {
  return altered(`${told(said)}; that row (publication ${said.position}) is gone`)
}

function other(
  said: SignedPublication,
  { position, planId, planVersion, sha256, tenantId, source }: Publication,
): EvidenceFinding {
  const made = said.source === source ? '' : ', made of other bytes'
  const row = `${planId} ${planVersion} of tenant ${tenantId} as ${sha256}${made}`
  return altered(`${told(said)}; the row (publication ${position}) says ${row}`)
}

/** A statement that somebody else wrote is reported as such, and not also as missing. */
function gaps(numbers: ReadonlySet<number>, others: ReadonlySet<number>): readonly EvidenceFinding[] {
  const last = highest(numbers)
  const findings: EvidenceFinding[] = []
  for (let one = 1; one < last && findings.length < SHOWN; one += 1)
    if (!numbers.has(one) && !others.has(one))
      findings.push({
        code: 'RECEIPT_MISSING',
        message: `statement ${one} about published plans is gone; the last one is ${last}`,
      })
  return findings
}

function unproved(number: number): EvidenceFinding {
  const message = `statement ${number} about published plans was not signed by a key of this store`
  return { code: 'RECEIPT_INVALID', message }
}
