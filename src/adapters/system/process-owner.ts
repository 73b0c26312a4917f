/**
 * The name of this process in leases. Another process on the same machine can tell from it that the holder is gone, and
 * need not wait for its lease to run out, or that it lives, and must not take from it what it has at work; where it cannot
 * tell, the lease decides.
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
  return `${machine()}#${process.pid}#${random.uuid()}#${lifeOf(process.pid)?.since ?? ''}`
}

/** True only when the holder is surely gone: a process of this very machine that no longer exists. */
export function isOwnerGone(owner: string): boolean {
  const { pid, since } = partsOf(owner)
  if (pid === undefined) return false
  const life = lifeOf(pid)
  if (life !== undefined) return since !== '' && life.since !== since
  try {
    process.kill(pid, 0)
    return false
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/**
 * True only when the holder surely lives and can go on: another process of this very machine, the same since it took the
 * lease. One that was stopped (SIGSTOP) may stay so for ever: of that the lease decides, as of everything in this process.
 */
export function isOwnerAlive(owner: string): boolean {
  const { pid, since } = partsOf(owner)
  if (pid === undefined || pid === process.pid || since === '') return false
  const life = lifeOf(pid)
  return life?.since === since && !STOPPED.includes(life.state)
}

/** Stopped, traced, or dead and not yet buried. */
const STOPPED = 'TtZXx'

function partsOf(owner: string): { readonly pid: number | undefined; readonly since: string } {
  const [where, pid = '', , since = ''] = owner.split('#')
  return {
    pid: where === machine() && /^\d+$/.test(pid) ? Number(pid) : undefined,
    since: /^\d+$/.test(since) ? since : '',
  }
}

/** What Linux knows of a process; undefined where it is not to be had. The name in brackets may hold anything. */
function lifeOf(pid: number): { readonly state: string; readonly since: string } | undefined {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, since] = [fields[0], fields[19]]
  return stat === '' || state === undefined || since === undefined ? undefined : { state, since }
}
