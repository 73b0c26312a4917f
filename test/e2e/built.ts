/**
 * The built command that end-to-end tests start. dist/ is built when it is missing or older than a source; workers that
 * come at the same time wait for the one that builds.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { filesUnder } from '../../scripts/repository.ts'
import { ROOT, runNode } from '../../scripts/terminal.ts'

const LOCK = join(ROOT, '.cache', 'e2e-build.lock')
const LOOK_MS = 100

function isStale(): boolean {
  const built = statSync(join(ROOT, 'dist', 'edge', 'cli', 'main.js'), { throwIfNoEntry: false })
  if (built === undefined) return true
  const sources = [...filesUnder('src'), ...filesUnder('web')].filter((path) => !path.endsWith('.test.ts'))
  return sources.some((path) => statSync(join(ROOT, path)).mtimeMs > built.mtimeMs)
}

/** A process that died while it built left its lock behind. */
function isAbandoned(): boolean {
  if (!existsSync(LOCK)) return false
  const pid = Number(readFileSync(LOCK, 'utf8'))
  try {
    // It may have made the file and not yet written its number.
    return pid !== 0 && !process.kill(pid, 0)
  } catch {
    return true
  }
}

function takeLock(): boolean {
  mkdirSync(join(ROOT, '.cache'), { recursive: true })
  if (isAbandoned()) rmSync(LOCK, { force: true })
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    return false
  }
}

export async function ensureBuilt(): Promise<void> {
  // While somebody builds, some files are new and some are gone.
  while (existsSync(LOCK) || isStale()) {
    if (!takeLock()) {
      await pause(LOOK_MS)
      continue
    }
    try {
      // Another one may have built it since it was looked at.
      if (!isStale()) return
      const { code, output } = await runNode(join(ROOT, 'scripts', 'build.ts'), [], false)
      if (code !== 0) throw new Error(`the build failed:\n${output}`)
      return
    } finally {
      rmSync(LOCK, { force: true })
    }
  }
}
