/** What is behind an open Keelson or reader, for the command line and for composing; a program that uses the package does not see it. */
import type { Services } from '../app/services.ts'
import type { RunStore } from '../ports/run-store.ts'
import type { Parts } from './parts.ts'

type IsOwnerGone = (owner: string) => boolean

const stores = new WeakMap<object, RunStore>()
const parts = new WeakMap<object, Parts>()
const owners = new WeakMap<object, IsOwnerGone>()

export function keepParts(keelson: object, given: Parts): void {
  parts.set(keelson, given)
}

/** Everything that an open Keelson is made of. */
export function partsOf(keelson: object): Parts {
  return parts.get(keelson) ?? unknown()
}

/** Whether the holder of a lease is certainly gone: a process of this machine that no longer exists. */
export function isOwnerGone(reader: object, owner: string): boolean {
  return owners.get(reader)?.(owner) ?? false
}

export function keepStore(reader: object, given: RunStore, isGone: IsOwnerGone): void {
  stores.set(reader, given)
  owners.set(reader, isGone)
}

export function servicesOf(keelson: object): Services {
  return partsOf(keelson).services
}

export function storeOf(reader: object): RunStore {
  return stores.get(reader) ?? unknown()
}

function unknown(): never {
  throw new TypeError('not an open Keelson')
}
