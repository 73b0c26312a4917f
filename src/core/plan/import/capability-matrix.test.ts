/** A capability matrix names a compensation by its rules, or is refused. */
import { describe, expect, it } from 'vitest'
import { capabilityOf, parseCapabilityMatrix } from './capability-matrix.ts'

const UNDO = { compensationOperation: 'invoice:reverse', compensationInputSchema: { type: 'object' } }
const ENTRY = { capability: 'invoice:write', supported: true, safety: { supportsCompensation: true } }

function parsed(...capabilities: readonly Readonly<Record<string, unknown>>[]) {
  return parseCapabilityMatrix(JSON.stringify({ portFamily: 'FinanceAccounting', capabilities }))
}

function refusals(...capabilities: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const read = parsed(...capabilities)
  return read.ok ? [] : read.problems.map(({ code, pointer }) => `${code} ${pointer}`)
}

const wrong = (path: string): string => `CAPABILITY_MATRIX_INVALID /capabilities/0/${path}`

describe('a compensation', () => {
  it('with operation, schema and support is read; so is a capability without any [CMP-07]', () => {
    const read = parsed({ ...ENTRY, ...UNDO }, { capability: 'invoice:read', safety: { supportsCompensation: false } })
    expect(read.ok && read.value.capabilities[0]).toMatchObject(UNDO)
    expect(read.ok && read.value.capabilities[1]?.compensationOperation).toBeUndefined()
  })

  it('has an operation of the form <entity>:<verb> [CMP-07]', () => {
    for (const compensationOperation of [
      'reverse',
      'invoice:',
      ':reverse',
      'invoice:reverse:now',
      'in voice:reverse',
      7,
    ])
      expect(refusals({ ...ENTRY, ...UNDO, compensationOperation })).toEqual([wrong('compensationOperation')])
  })

  it('has operation and input schema both or none [CMP-07]', () => {
    const { compensationOperation, compensationInputSchema } = UNDO
    expect(refusals({ ...ENTRY, compensationOperation })).toEqual([wrong('compensationOperation')])
    expect(refusals({ ...ENTRY, compensationInputSchema })).toEqual([wrong('compensationInputSchema')])
  })

  it('needs safety.supportsCompensation to be true [CMP-07]', () => {
    const unsupported = { ...ENTRY, ...UNDO, safety: { supportsCompensation: false } }
    expect(refusals(unsupported)).toEqual([wrong('safety/supportsCompensation')])
    expect(refusals({ ...ENTRY, ...UNDO, safety: {} })).toEqual([wrong('safety')])
  })
})

describe('a capability', () => {
  it('is listed once and is found by its name, else by another name of it', () => {
    expect(refusals(ENTRY, ENTRY)).toEqual(['CAPABILITY_MATRIX_INVALID /capabilities/1/capability'])
    const read = parsed(
      { ...ENTRY, operations: ['createInvoice', 'note:write'] },
      { ...ENTRY, capability: 'note:write' },
    )
    if (!read.ok) throw new Error('the matrix is not readable')
    expect(capabilityOf(read.value, 'createInvoice')?.capability).toBe('invoice:write')
    expect(capabilityOf(read.value, 'note:write')?.capability).toBe('note:write')
    expect(capabilityOf(read.value, 'invoice:read')).toBeUndefined()
  })
})
