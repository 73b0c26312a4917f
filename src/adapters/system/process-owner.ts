/**
 * The name of this process in leases. Another process on the same machine can tell from it that the holder is gone, and
 * need not wait for its lease to run out; where it cannot tell, it waits.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Random } from '../../ports/random.ts'

/** Process ids mean something only within one boot and one namespace of one machine. */
function machine(): string {
  const parts = [
    hostname(),
    read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    read(() => readlinkSync('/proc/self/ns/pid')),
  ]
  return parts.join('|').replaceAll(/[\s#]+/g, '')
}

function read(source: () => string): string {
  try {
    return source()
  } catch {
    return ''
  }
}

export function processOwner(random: Random): string {
  return `${machine()}#${process.pid}#${random.uuid()}`
}

/** True only when the holder is surely gone: a process of this very machine that no longer exists. */
export function isOwnerGone(owner: string): boolean {
  const [where, pid = ''] = owner.split('#')
  if (where !== machine() || !/^\d+$/.test(pid)) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
