/** Issues receipts for as long as a process lives, and a last time when it stops. What goes wrong is told, and never fails a run. */
import type { ReceiptIssuer } from '../../app/receipts/issue.ts'
import { KeelsonError, problem, type Problem } from '../../core/problems/problem.ts'
import { visibleText } from '../../core/visible-text.ts'

export type TellProblem = (problem: Problem) => void

export interface ReceiptService {
  stop(): Promise<void>
}

export const warnOfProblem: TellProblem = ({ code, message }) => process.emitWarning(visibleText(message), { code })

export function startReceipts(issuer: ReceiptIssuer, tell: TellProblem): ReceiptService {
  issuer.start()
  return {
    async stop() {
      await issuer.stop()
      try {
        await issuer.drain()
      } catch (thrown) {
        tell(receiptProblem(thrown))
      }
    },
  }
}

/** Whatever stood in the way: it is about receipts, and the runs are not touched by it. */
export function receiptProblem(thrown: unknown): Problem {
  if (thrown instanceof KeelsonError && thrown.code === 'RECEIPTS_NOT_ISSUED') return thrown.problems[0]
  return problem('RECEIPTS_NOT_ISSUED', thrown instanceof Error ? thrown.message : String(thrown))
}
