/**
 * Prepared statements. SQL that uses a value twice numbers its parameters (`?1`); Node 22.19 binds only plain ones, so the numbers are
 * replaced here, and the values repeated in the order of the text. Statements with plain parameters are Node's own.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

export type Statement = Pick<StatementSync, 'get' | 'all' | 'run' | 'iterate'>

const NUMBERED = /\?(\d+)/g

export function statement(db: DatabaseSync, text: string): Statement {
  const order = [...text.matchAll(NUMBERED)].map(([, number]) => Number(number) - 1)
  if (order.length === 0) return db.prepare(text)
  const made = db.prepare(text.replace(NUMBERED, '?'))
  const placed = (given: readonly unknown[]): SQLInputValue[] => order.map((at) => given[at] as SQLInputValue)
  return {
    get: (...given: readonly unknown[]) => made.get(...placed(given)),
    all: (...given: readonly unknown[]) => made.all(...placed(given)),
    run: (...given: readonly unknown[]) => made.run(...placed(given)),
    iterate: (...given: readonly unknown[]) => made.iterate(...placed(given)),
  }
}
