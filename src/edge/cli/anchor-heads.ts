/** Receipts at the end of a command that drove runs: within a few seconds, and whatever goes wrong never fails the run. */
import type { Keelson } from '../../main.ts'
import { receiptProblem } from '../library/receipt-service.ts'
import type { Terminal } from './terminal.ts'

const WITHIN_MS = 3_000

export async function anchorHeads(keelson: Keelson, terminal: Terminal): Promise<void> {
  try {
    await keelson.upkeep.issueReceipts(WITHIN_MS)
  } catch (thrown) {
    const { code, message } = receiptProblem(thrown)
    const { yellow, dim } = terminal.errorPaint
    terminal.errorLine(`${yellow(code)}  ${message}`)
    terminal.errorLine(dim('  the run is not touched by this; keelson receipts issue tries again'))
  }
}
