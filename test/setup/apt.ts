/**
 * Programs that tests need, installed by apt where the tests run as root on such a machine. Several test files may want one at the same
 * time, so they take turns (`flock`), and whoever comes second finds it installed; other users of apt are waited for.
 */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChild } from '../fixtures/child.ts'

const APT = '/usr/bin/apt-get'
const FLOCK = '/usr/bin/flock'
const LOCK_SECONDS = 600

/** Whether the package is there now. */
export function installByApt(name: string): boolean {
  if (process.getuid?.() !== 0 || !existsSync(APT)) return false
  const install = ['install', '-y', '--no-install-recommends', name]
  return apt(install) || (apt(['update']) && apt(install))
}

function apt(args: readonly string[]): boolean {
  const command = [APT, '-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`, ...args]
  const turn = existsSync(FLOCK) ? [FLOCK, join(tmpdir(), 'keelson-apt.lock'), ...command] : command
  const [program = APT, ...rest] = turn
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return runChild(program, rest, { env }).status === 0
}
