/**
 * The temporary folders of a test run lie in memory where the machine has enough of it: thousands of small commits each wait for
 * the disk otherwise. `KEELSON_TESTS=full` and whoever names a TMPDIR test on the disk; benchmarks always do. Whatever a test
 * leaves behind goes with the run.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { isFull } from './extent.ts'

const MEMORY = '/dev/shm'
/** The run writes about 1 GiB at its most; the rest is for its processes. */
const FREE_MIN_BYTES = 4 * 1024 ** 3

export function setup(): (() => void) | undefined {
  if (isFull || process.env['TMPDIR'] !== undefined || !hasRoom()) return undefined
  removeLeft()
  const folder = mkdtempSync(join(MEMORY, `keelson-tests-${process.pid}-`))
  // As the folder it stands for: the PostgreSQL server and some tests run as other users.
  chmodSync(folder, 0o1777)
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  if (!runsPrograms(folder)) {
    remove()
    return undefined
  }
  process.env['TMPDIR'] = folder
  return () => {
    delete process.env['TMPDIR']
    remove()
  }
}

/** A run that was killed leaves its folder behind, and memory is dear. */
function removeLeft(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = /^keelson-tests-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(MEMORY, name), { recursive: true, force: true })
  }
}

function hasRoom(): boolean {
  if (process.platform !== 'linux' || !existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return Math.min(bavail * bsize, freemem()) >= FREE_MIN_BYTES
}

/** Some machines let no program lie there. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, 'probe')
  writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o755 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0
}
