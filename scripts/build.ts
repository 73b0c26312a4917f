/**
 * Builds dist/ from src/ and makes `npx keelson` find the command inside the repository. `npm ci` runs it as the
 * script `dependencies`, which npm, unlike `prepare`, never runs or asks about for those who install the package. Types
 * are emitted but not judged here (`npm run check` does that), so the first command stays quick; dist/ is replaced only
 * by a build that succeeded.
 */
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync, chmodSync, renameSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { bundleProduct } from './bundle.ts'
import { bundlePage } from './page-bundle.ts'
import { bundleWorkflow } from './workflow-bundle.ts'
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

/** Commands that start meanwhile find a whole dist/: the old one is moved away, not removed file by file. */
function replaceDist(fresh: string): void {
  const old = `${fresh}-old`
  if (existsSync(DIST)) renameSync(DIST, old)
  renameSync(fresh, DIST)
  rmSync(old, { recursive: true, force: true })
}

async function build(): Promise<number> {
  const began = performance.now()
  const fresh = join(ROOT, '.cache', `build-${process.pid}`)
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  try {
    const args = ['-p', 'tsconfig.build.json', '--noCheck', '--emitDeclarationOnly', '--outDir', fresh]
    const product = bundleProduct(fresh)
      .then(() => bundleWorkflow(fresh))
      .then(() => bundlePage(fresh))
    const [tsc] = await Promise.all([runNode(binaryOf('typescript', 'tsc'), args, false), product])
    if (tsc.code !== 0) {
      process.stderr.write(`${tsc.output}\nThe build failed; dist/ was left as it was.\n`)
      return 1
    }
    copySql(fresh)
    replaceDist(fresh)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  linkCommand()
  process.stdout.write(`built dist/ in ${seconds(began)}\n`)
  return 0
}

requireNode()
process.exitCode = await build()
