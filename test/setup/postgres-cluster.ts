/**
 * A new PostgreSQL cluster in a folder: copied from one that `initdb` made once and that is kept in the cache, because making
 * it costs several times as much as starting it. A server of its own for each test file: who may see what is in flight, and
 * the roles, belong to the whole cluster.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export interface User {
  readonly uid: number
  readonly gid: number
}

export interface NewCluster {
  /** Where `initdb` lies. */
  readonly bin: string
  readonly user: User | undefined
  /** Exists, is empty and belongs to the user. */
  readonly data: string
  /** Where clusters that were made are kept. */
  readonly cache: string
}

const INITDB = ['-U', 'postgres', '--auth=trust', '-N', '--encoding=UTF8', '--locale=C']

export function makeCluster({ bin, user, data, cache }: NewCluster): void {
  const kept = join(cache, `cluster-${keyOf(bin, user)}`)
  if (existsSync(kept)) {
    if (copied(kept, data)) return
    for (const name of readdirSync(data)) rmSync(join(data, name), { recursive: true })
  }
  execFileSync(join(bin, 'initdb'), ['-D', data, ...INITDB], {
    ...user,
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  keep(data, cache, kept)
}

/** Others may keep theirs at the same time: the first stays. */
function keep(data: string, cache: string, kept: string): void {
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(cache, 'cluster-in-making-'))
  try {
    if (copied(data, fresh) && !existsSync(kept)) renameSync(fresh, kept)
  } catch (error) {
    if (!existsSync(kept)) throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** Owners and modes are part of a cluster; where there is no `cp` that keeps them, nothing is kept. */
function copied(from: string, to: string): boolean {
  return process.platform !== 'win32' && spawnSync('cp', ['-a', `${from}/.`, to], { stdio: 'ignore' }).status === 0
}

function keyOf(bin: string, user: User | undefined): string {
  const version = execFileSync(join(bin, 'initdb'), ['--version'], { encoding: 'utf8' })
  const parts = [version, process.arch, user?.uid ?? process.getuid?.(), ...INITDB]
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16)
}
