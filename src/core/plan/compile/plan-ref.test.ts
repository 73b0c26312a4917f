/** References to plans from outside. */
import { expect, it } from 'vitest'
import { parsePlanRef } from './plan-ref.ts'

const sha256 = 'a'.repeat(64)
const REF = { uri: `plan:sha256:${sha256}`, sha256, schemaVersion: 'v1.0', planId: 'p', planVersion: '1.0.0' }

function refusal(value: unknown): readonly unknown[] {
  const read = parsePlanRef(value)
  return read.ok ? [] : read.problems.map(({ code, pointer }) => `${code} ${pointer ?? ''}`)
}

it('a reference to a plan is taken with and without what is optional [PLN-01]', () => {
  for (const ref of [REF, { ...REF, sizeBytes: 10, expiresAt: '2030-01-01T00:00:00Z' }])
    expect(parsePlanRef(ref)).toEqual({ ok: true, value: ref })
})

it.each(Object.keys(REF))('a reference to a plan is refused without its %s [PLN-01]', (name) => {
  const { [name as 'uri']: _left, ...rest } = REF
  for (const wrong of [rest, { ...REF, [name]: '' }, { ...REF, [name]: 1 }])
    expect(refusal(wrong)).toEqual([`PLAN_REF_INVALID /${name}`])
})

it('a reference to a plan of a version that nobody reads is refused [PLN-02]', () => {
  for (const schemaVersion of ['v9.9', '1.2'])
    expect(refusal({ ...REF, schemaVersion })).toEqual(['SCHEMA_VERSION_UNKNOWN /schemaVersion'])
})

it('a reference to a plan has nothing else, and each part in its form', () => {
  expect(refusal({ ...REF, steps: [] })).toEqual(['PLAN_REF_INVALID /steps'])
  expect(refusal({ ...REF, sha256: 'A'.repeat(64) })).toEqual(['PLAN_REF_INVALID /sha256'])
  expect(refusal({ ...REF, sizeBytes: -1, expiresAt: 'soon' })).toEqual([
    'PLAN_REF_INVALID /sizeBytes',
    'PLAN_REF_INVALID /expiresAt',
  ])
  expect(refusal('p')).toEqual(['PLAN_REF_INVALID '])
})
