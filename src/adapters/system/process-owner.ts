/**
 * The name of this process in leases. From it another process on the same machine can tell that the holder is gone, and
 * need not wait for its lease to expire, or that it lives, and its work must not be taken; where neither can be told,
 * the lease decides.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Random } from '../../ports/random.ts'

/** Process ids are meaningful only within one boot and one namespace of one machine. */
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
  return `${machine()}#${process.pid}#${random.uuid()}#${lifeOf(process.pid)?.since ?? ''}`
}

/**
 * True only when the holder is certainly gone: a process of this machine that no longer exists, or that is dead and was not
 * waited for by the process that started it, as in a container without an init.
 */
export function isOwnerGone(owner: string): boolean {
  const { pid, since } = partsOf(owner)
  if (pid === undefined) return false
  const life = lifeOf(pid)
  if (life !== undefined) return DEAD.includes(life.state) || (since !== '' && life.since !== since)
  try {
    process.kill(pid, 0)
    return false
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/**
 * True only when the holder is certainly alive and can go on: another process of this machine, the same since it took
 * the lease. A process stopped by SIGSTOP may stay stopped for ever: for it the lease decides, as for everything in
 * this process.
 */
export function isOwnerAlive(owner: string): boolean {
  const { pid, since } = partsOf(owner)
  if (pid === undefined || pid === process.pid || since === '') return false
  const life = lifeOf(pid)
  return life?.since === since && !STOPPED.includes(life.state)
}

/** Dead, but not yet waited for. */
const DEAD = 'ZXx'
/** Stopped, traced or dead. */
const STOPPED = `Tt${DEAD}`

function partsOf(owner: string): { readonly pid: number | undefined; readonly since: string } {
  const [where, pid = '', , since = ''] = owner.split('#')
  return {
    pid: where === machine() && /^\d+$/.test(pid) ? Number(pid) : undefined,
    since: /^\d+$/.test(since) ? since : '',
  }
}

/**
 * What Linux knows of a process; undefined where that is not available. The name in brackets may hold any characters.
 */
function lifeOf(pid: number): { readonly state: string; readonly since: string } | undefined {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, since] = [fields[0], fields[19]]
  return stat === '' || state === undefined || since === undefined ? undefined : { state, since }
}
