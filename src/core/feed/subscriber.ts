/**
 * Names of subscribers in a store. A program chooses the name of a subscriber; the stored name also says whose runs it
 * receives: one tenant's, or all tenants'. So two tenants may use the same name without waiting for, counting or seeing
 * each other. Names without a scope are Keelson's own.
 */
import { LOCAL_TENANT } from '../local-tenant.ts'

const SCOPE = 'tenant:'
const ALL = 'all/'

/** With its length, so that no tenant's id reads like the beginning of another's. */
function scopeOf(tenantId: string): string {
  return `${SCOPE}${[...tenantId].length}:${tenantId}/`
}

export function tenantSubscriber(tenantId: string, name: string): string {
  return `${scopeOf(tenantId)}${name}`
}

export function fleetSubscriber(name: string): string {
  return `${ALL}${name}`
}

/** The only tenant whose runs it receives; undefined when it receives all. */
export function subscriberTenant(subscriber: string): string | undefined {
  if (!subscriber.startsWith(SCOPE)) return undefined
  const [, length, rest = ''] = /^tenant:(\d{1,6}):(.*)$/s.exec(subscriber) ?? []
  const tenantId = [...rest].slice(0, Number(length ?? 0)).join('')
  // An invalid scope matches nobody: no tenant's id is empty.
  return subscriber.startsWith(scopeOf(tenantId)) ? tenantId : ''
}

/** Does a subscriber of this stored name receive the tenant's runs? */
export function follows(subscriber: string, tenantId: string): boolean {
  const only = subscriberTenant(subscriber)
  return only === undefined || only === tenantId
}

/** The name its program uses. */
export function subscriberName(subscriber: string): string {
  if (subscriber.startsWith(ALL)) return subscriber.slice(ALL.length)
  const tenantId = subscriberTenant(subscriber) ?? ''
  return tenantId === '' ? subscriber : subscriber.slice(scopeOf(tenantId).length)
}

/** For people: with its scope, unless that is obvious. */
export function shownSubscriber(subscriber: string): string {
  const name = subscriberName(subscriber)
  if (subscriber.startsWith(ALL)) return `${name} of all tenants`
  const tenantId = subscriberTenant(subscriber) ?? LOCAL_TENANT
  return tenantId === LOCAL_TENANT ? name : `${name} of ${tenantId}`
}
