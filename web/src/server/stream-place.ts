/**
 * Room for streams in one browser. Over HTTP/1.1 a browser opens six connections to a server, for all of its tabs together, and a
 * stream keeps one for itself: a few tabs with streams, and nothing else would ever be answered. So a few streams stay open, the
 * others of windows that are seen have their turns one after the other, and a tab that nobody sees has none.
 */
import { Watched } from './watched.ts'

/** Streams that stay open. With the one that has its turn, a third of the connections is left for questions. */
const STAY = 3
const NAME = 'keelson.stream'
const TURN = `${NAME}.turn`

export const isShown = new Watched(document.visibilityState !== 'hidden')
document.addEventListener('visibilitychange', () => isShown.set(document.visibilityState !== 'hidden'))

export interface StreamPlace {
  /** Whether others wait for it: then it is left after a moment. */
  readonly isWaitedFor: () => Promise<boolean>
  readonly leave: () => void
}

/** One that may be kept; undefined: all are taken. */
export async function freePlace(): Promise<StreamPlace | undefined> {
  for (let number = 0; number < STAY; number += 1) {
    const place = await taken(`${NAME}.${number}`, { ifAvailable: true })
    if (place !== undefined) return place
  }
  return undefined
}

/** Waits until the tab is seen, then for a place, or for its turn. Rejects with the reason of the signal. */
export async function comingPlace(signal: AbortSignal): Promise<StreamPlace> {
  await shown(signal)
  return (await freePlace()) ?? (await taken(TURN, { signal })) ?? comingPlace(signal)
}

/** Once the tab is seen. */
export function shown(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const end = (): void => {
      unwatch()
      signal.removeEventListener('abort', left)
    }
    const left = (): void => {
      end()
      reject(signal.reason as Error)
    }
    const look = (): void => {
      if (!isShown.get()) return
      end()
      resolve()
    }
    const unwatch = isShown.subscribe(look)
    signal.addEventListener('abort', left, { once: true })
    look()
  })
}

/** A lock is given back by the browser itself when a tab is closed or breaks. */
function taken(name: string, options: LockOptions): Promise<StreamPlace | undefined> {
  // Browsers have locks only where the address is safe (https, or this machine).
  if (!('locks' in navigator)) return Promise.resolve({ isWaitedFor: async () => false, leave: () => undefined })
  return new Promise((resolve, reject) => {
    const held = navigator.locks.request(name, options, (lock) => {
      if (lock === null) return resolve(undefined)
      return new Promise<void>((leave) => resolve({ isWaitedFor: () => isWaitedFor(name), leave }))
    })
    held.catch(reject)
  })
}

async function isWaitedFor(name: string): Promise<boolean> {
  // For the others nobody waits: whoever finds none free waits for a turn.
  if (name !== TURN) return false
  const { pending = [] } = await navigator.locks.query()
  return pending.some((one) => one.name === name)
}
