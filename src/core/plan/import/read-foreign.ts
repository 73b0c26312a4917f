/**
 * Text of a foreign document read against its table of fields, with all problems under one code and at their line and column;
 * rules between fields are looked at only once every field is readable.
 */
import type { Problem } from '../../problems/problem.ts'
import { ok, type Result } from '../../result.ts'
import { kindOf, type Kind } from '../kind.ts'
import { sortProblems } from '../parse-plan.ts'
import { readDocument, type ReadOptions } from '../read-document.ts'
import type { Reading } from '../reading.ts'

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
  return value === undefined || problems.length > 0
    ? { ok: false, problems: sortProblems(problems) }
    : ok({ value, positionOf })
}
