import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { statement } from './statement.ts'

it('numbered parameters get their values wherever they stand, as often as they stand', () => {
  const db = new DatabaseSync(':memory:')
  const row = (text: string, ...given: readonly number[]): unknown => ({ ...statement(db, text).get(...given) })
  expect(row('SELECT ?2 AS a, ?1 AS b, ?2 AS c', 1, 2)).toEqual({ a: 2, b: 1, c: 2 })
  expect(row('SELECT ? AS a, ? AS b', 1, 2)).toEqual({ a: 1, b: 2 })
  expect(statement(db, 'SELECT ?1 AS a, ?1 AS b').all(7)).toHaveLength(1)
  db.close()
})
