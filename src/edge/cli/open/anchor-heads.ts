/**
 * Receipts at the end of a command that drove runs: within a few seconds, and an error never fails the run. On a shared
 * server only with named keys: a random folder must not become the place of its receipts.
 */
import type { Keelson } from '../../../main.ts'
import { receiptProblem } from '../../../library/tell/receipt-service.ts'
import { signsReceipts, type Place } from '../files/place.ts'
import type { Terminal } from '../terminal/terminal.ts'

const WITHIN_MS = 3_000

export async function anchorHeads(keelson: Keelson, place: Place, terminal: Terminal): Promise<void> {
  if (!signsReceipts(place)) return
  try {
    await keelson.maintenance.issueReceipts(WITHIN_MS)
  } catch (thrown) {
    const { code, message } = receiptProblem(thrown)
    const { yellow, dim } = terminal.errorPaint
    terminal.errorLine(`${yellow(code)}  ${message}`)
    terminal.errorLine(dim('  the run is not touched by this; keelson receipts issue tries again'))
  }
}
