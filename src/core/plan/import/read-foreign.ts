/**
 * Reads the text of a foreign document against its table of fields, with all problems under one code and at their line
 * and column; rules between fields are checked only when every field is readable.
 */
import type { Problem } from '../../problems/problem.ts'
import { ok, refusedFor, type Result } from '../../result.ts'
import { kindOf, type Kind } from '../format/kind.ts'
import { sortProblems } from '../compile/parse-plan.ts'
import { readDocument, type ReadOptions } from '../read/read-document.ts'
import type { Reading } from '../read/reading.ts'

export const yesOrNo: Kind<boolean> = kindOf(
  'true or false',
  { type: 'boolean' },
  (value): value is boolean => typeof value === 'boolean',
)

export interface Foreign<T> {
  readonly value: T
  readonly positionOf: Reading['positionOf']
}

export function readForeign<T>(
  text: string,
  options: ReadOptions,
  code: Problem['code'],
  kind: Kind<T>,
  check: (value: T, reading: Reading) => void,
): Result<Foreign<T>> {
  const { root, problems: found, positionOf } = readDocument(text, options)
  const codes = { unknown: code, missing: code, invalid: code }
  const reading: Reading = { problems: [...found], sites: [], positionOf, codes }
  const value = root === undefined ? undefined : kind.read(root.value, undefined, reading)
  if (value !== undefined) check(value, reading)
  const { problems } = reading
  return value === undefined || problems.length > 0 ? refusedFor(sortProblems(problems)) : ok({ value, positionOf })
}
