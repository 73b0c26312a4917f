/** The end of a server: the first signal lets what is under way end, for a while; a second one ends the process at once. */
import { once } from 'node:events'
import { LIMITS } from '../../../core/limits.ts'

/** The signal that asked. From then on the next one does what signals do by themselves. */
export async function stopAsked(): Promise<string> {
  const done = new AbortController()
  const { signal } = done
  try {
    const waits = (['SIGINT', 'SIGTERM'] as const).map(async (name) => (await once(process, name, { signal }), name))
    return await Promise.race(waits)
  } finally {
    done.abort()
  }
}

/** False when the work has not ended in time; the process ends all the same, and others take its runs when its leases run out. */
export async function endsInTime(work: () => Promise<void>, mostMs: number = LIMITS.stopMs): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((settle) => {
    timer = setTimeout(() => settle(false), mostMs)
  })
  try {
    return await Promise.race([work().then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
