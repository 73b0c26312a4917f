import { describe, expect, it } from 'vitest'
import {
  fleetSubscriber,
  follows,
  shownSubscriber,
  subscriberName,
  subscriberTenant,
  tenantSubscriber,
} from './subscriber.ts'

const TEXTS = ['a', 'local', '4:acme/', 'tenant:4:acme/', 'acme/x', 'all/', '', 'é', '😀', '1', '/', ':']
const TENANTS = TEXTS.filter((text) => text !== '')

describe('the stored name of a subscriber', () => {
  it('says whose runs it is told of, and reads back, whatever tenants and subscribers are called', () => {
    const owners = new Map<string, string>()
    for (const tenantId of TENANTS)
      for (const name of TEXTS) {
        const stored = tenantSubscriber(tenantId, name)
        const owner = JSON.stringify([tenantId, name])
        expect(owners.get(stored) ?? owner).toBe(owner)
        owners.set(stored, owner)
        expect([subscriberTenant(stored), subscriberName(stored)]).toEqual([tenantId, name])
        expect(TENANTS.filter((one) => follows(stored, one))).toEqual([tenantId])
      }
    for (const name of TEXTS) {
      expect(owners.has(fleetSubscriber(name))).toBe(false)
      expect(subscriberName(fleetSubscriber(name))).toBe(name)
      expect(TENANTS.every((one) => follows(fleetSubscriber(name), one))).toBe(true)
    }
  })

  it('with a scope that nobody makes is told of nothing', () => {
    for (const stored of ['tenant:', 'tenant:9:a/x', 'tenant:x', 'tenant:0:/x'])
      expect(TENANTS.filter((one) => follows(stored, one))).toEqual([])
  })

  it('is shown as its program calls it, with its tenant where that is not the local one', () => {
    expect(shownSubscriber(tenantSubscriber('local', 'mail'))).toBe('mail')
    expect(shownSubscriber(tenantSubscriber('acme', 'mail'))).toBe('mail of acme')
    expect(shownSubscriber(fleetSubscriber('mail'))).toBe('mail of all tenants')
    expect(shownSubscriber('receipts')).toBe('receipts')
  })
})
