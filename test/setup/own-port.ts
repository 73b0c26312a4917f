/**
 * A port of loopback for a server that cannot choose one itself. It lies below those that the system gives to whoever asks for any, and
 * each process of a run takes from a part of its own: nobody comes between the choice and the start, nor while a server is down.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'

const FIRST = 12_000
const EACH = 400
const PARTS = 50

/** The test runner counts its processes; others take any part. */
const part = (Number(process.env['VITEST_POOL_ID']) || Math.floor(Math.random() * PARTS)) % PARTS
/** Another run may be on this machine. */
let next = Math.floor(Math.random() * EACH)

export async function ownPort(): Promise<number> {
  for (let tried = 0; tried < EACH; tried += 1) {
    const port = FIRST + part * EACH + next
    next = (next + 1) % EACH
    if (await isFree(port)) return port
  }
  throw new Error(`none of ${EACH} ports is free`)
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  const [taken] = await Promise.race([
    once(probe.listen(port, '127.0.0.1'), 'listening').then(() => [false]),
    new Promise<readonly [boolean]>((resolve) => probe.once('error', () => resolve([true]))),
  ])
  if (taken === true) return false
  probe.close()
  await once(probe, 'close')
  return true
}
