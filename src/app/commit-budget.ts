/**
 * A write may take only so long (LAT-01): whoever waits is told that its fate is unknown, which is neither success nor
 * failure. What follows reads the log again before it decides anything (P-10, X-28).
 */
import { KeelsonError, problem } from '../core/problems/problem.ts'
import type { Timers } from '../ports/timers.ts'

export function withinBudget<T>(timers: Timers, budgetMs: number, write: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancelTimer = timers.after(budgetMs, () => {
      const message = `the store did not answer within ${budgetMs} ms; whether it wrote is not known`
      reject(new KeelsonError([problem('STORE_WRITE_TIMEOUT', message)]))
    })
    write.then(resolve, reject).finally(cancelTimer)
  })
}
