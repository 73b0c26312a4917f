/**
 * A write has a time limit (LAT-01): after it the caller is told that the write's fate is unknown, which is neither
 * success nor failure. The next step reads the log again before it decides anything (P-10, X-28).
 */
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import type { Timers } from '../../ports/timers.ts'

export function withinBudget<T>(timers: Timers, budgetMs: number, write: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancelTimer = timers.after(budgetMs, () => {
      const message = `the store did not answer within ${budgetMs} ms; whether it wrote is not known`
      reject(new KeelsonError([problem('STORE_WRITE_TIMEOUT', message)]))
    })
    const inTime =
      <A>(tell: (answer: A) => void) =>
      (answer: A): void => {
        cancelTimer()
        tell(answer)
      }
    write.then(inTime<T>(resolve), inTime<unknown>(reject))
  })
}
