import { expect, it } from 'vitest'
import { slotLabel } from './labels.ts'

it('slots are named as people read them', () => {
  expect(['pay', 'pay[3]', 'FALLBACK:pay[3]'].map(slotLabel)).toEqual(['pay', 'pay[3]', 'pay[3] (fallback)'])
})
