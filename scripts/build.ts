/**
 * Builds dist/ from src/ and makes `npx keelson` find the command inside the repository. `npm ci` runs it as `prepare`.
 * Types are emitted but not judged here (`npm run check` does that), so the first command stays quick; dist/ is
 * replaced only by a build that succeeded.
 */
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync, chmodSync, renameSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { binaryOf, requireNode, ROOT, runNode, seconds } from './terminal.ts'

const DIST = join(ROOT, 'dist')

function copySql(target: string): void {
  cpSync(join(ROOT, 'src'), target, {
    recursive: true,
    filter: (path) => !/\.[a-z]+$/.test(path) || path.endsWith('.sql'),
  })
}

/** npm links the commands of dependencies but not those of the project itself; npx looks here first. */
function linkCommand(): void {
  const folder = join(ROOT, 'node_modules', '.bin')
  if (!existsSync(folder)) return
  chmodSync(join(ROOT, 'bin', 'keelson.js'), 0o755)
  const link = join(folder, 'keelson')
  rmSync(link, { force: true })
  if (process.platform === 'win32') {
    writeFileSync(link, '#!/bin/sh\nexec node "$(dirname "$0")/../../bin/keelson.js" "$@"\n')
    writeFileSync(`${link}.cmd`, '@node "%~dp0\\..\\..\\bin\\keelson.js" %*\r\n')
    writeFileSync(`${link}.ps1`, '& node "$PSScriptRoot/../../bin/keelson.js" $args\nexit $LASTEXITCODE\n')
  } else {
    symlinkSync(join('..', '..', 'bin', 'keelson.js'), link)
  }
}

async function build(): Promise<number> {
  const began = performance.now()
  const fresh = join(ROOT, '.cache', `build-${process.pid}`)
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  try {
    const tsc = await runNode(
      binaryOf('typescript', 'tsc'),
      ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', fresh],
      false,
    )
    if (tsc.code !== 0) {
      process.stderr.write(`${tsc.output}\nThe build failed; dist/ was left as it was.\n`)
      return 1
    }
    copySql(fresh)
    rmSync(DIST, { recursive: true, force: true })
    renameSync(fresh, DIST)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  linkCommand()
  process.stdout.write(`built dist/ in ${seconds(began)}\n`)
  return 0
}

requireNode()
process.exitCode = await build()
