#!/usr/bin/env node
/**
 * The `keelson` command. Plain JavaScript that old Node versions can parse: it checks the runtime first and only then
 * loads the product, so that an old Node gets one clear line instead of a stack trace.
 */
import { existsSync } from 'node:fs'
import module from 'node:module'

const FLOOR = { major: 22, minor: 19 }
const EXIT_ENVIRONMENT = 6

function runtimeIsTooOld() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major < FLOOR.major || (major === FLOOR.major && minor < FLOOR.minor)
}

/** Node 22 calls its SQLite and its TypeScript experimental on every start; Node 24 no longer does, and what we use is the same. */
function silenceExperimentWarnings() {
  const emitWarning = process.emitWarning
  process.emitWarning = (warning, ...rest) => {
    const text = typeof warning === 'string' ? warning : warning.message
    if (/^(SQLite|Type Stripping) is an experimental feature/.test(text)) return
    emitWarning.call(process, warning, ...rest)
  }
}

function refuse(line) {
  process.stderr.write(`${line}\n`)
  process.exitCode = EXIT_ENVIRONMENT
}

async function start() {
  if (runtimeIsTooOld()) {
    refuse(
      `NODE_TOO_OLD  Keelson needs Node ${FLOOR.major}.${FLOOR.minor} or newer; this is ${process.versions.node}. ` +
        'Run it through `npx keelson` inside the project, or install a newer Node.',
    )
    return
  }
  const entry = new URL('../dist/edge/cli/main.js', import.meta.url)
  if (!existsSync(entry)) {
    refuse('keelson is not built yet: run `npm run build` first.')
    return
  }
  if (FLOOR.major === Number(process.versions.node.split('.')[0])) silenceExperimentWarnings()
  module.enableCompileCache?.()
  const { main } = await import(entry.href)
  process.exitCode = await main(process.argv.slice(2))
}

await start()
