/** Roles and signals. */
import { expect, it } from 'vitest'
import { sufficientRole } from './roles.ts'
import { SIGNAL_TYPES } from './catalogue.ts'

const OPERATOR = ['PAUSE', 'RESUME', 'CANCEL']
const ENGINEER = [...OPERATOR, 'RETRY_STEP', 'RETRY_RUN', 'SKIP_STEP']
const ADMIN = [...ENGINEER, 'UPDATE_PARAMS', 'INJECT_OVERRIDE', 'UPDATE_TARGET', 'EMERGENCY_STOP']

it.each([
  ['Operator', OPERATOR],
  ['Engineer', ENGINEER],
  ['Admin', ADMIN],
  ['System', ['ESCALATE_ALERT']],
  ['Viewer', []],
])('%s may send what that role may, and nothing else [AUT-05]', (role, allowed) => {
  const may = SIGNAL_TYPES.filter((type) => sufficientRole(type, [role]) !== undefined)
  expect(new Set(may)).toEqual(new Set(allowed))
})

it('the least role that suffices is the one on record [AUT-06]', () => {
  expect(sufficientRole('PAUSE', ['Admin', 'Operator'])).toBe('Operator')
  expect(sufficientRole('SKIP_STEP', ['Admin', 'Operator'])).toBe('Admin')
  expect(sufficientRole('PAUSE', [])).toBeUndefined()
})
