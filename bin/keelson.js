#!/usr/bin/env node
/**
 * The `keelson` command. Plain JavaScript that old Node versions can parse: it checks the runtime first and only then
 * loads the product, so that an old Node gets one clear line instead of a stack trace. The version alone needs no product.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

const FLOOR = { major: 22, minor: 19 }
const EXIT_ENVIRONMENT = 6
const DAY_MS = 24 * 3_600_000

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

/**
 * Compiled code is kept for the next start. Node runs what it finds there, so whoever can write the folder can run code as this user:
 * it is a folder of the user's own, which nobody else can write, and never the temporary folder, which is Node's default. Without such
 * a folder nothing is kept, and a start takes longer.
 */
function keepCompiledCode(builtAtMs) {
  const parent = ownCacheFolder()
  if (parent === undefined) return
  try {
    for (const folder of [dirname(dirname(parent)), dirname(parent), parent]) isMadeNow(folder)
    if (!isOurs(dirname(parent), 0o022) || !isOurs(parent, 0o077)) return
    const folder = join(parent, String(Math.floor(builtAtMs)))
    if (isMadeNow(folder)) forgetOldBuilds(parent)
    module.enableCompileCache(folder)
  } catch {
    // A home that is missing, full or read-only is no reason to fail.
  }
}

/** One level at a time: below a folder that can hold no others, such as those of /proc, `recursive` never ends. */
function isMadeNow(folder) {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return false
  mkdirSync(folder, { mode: 0o700 })
  return true
}

/** Each build has a folder. At the first start of a build those of others go, unless they are from today and perhaps in use. */
function forgetOldBuilds(parent) {
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name)
    if (Date.now() - lstatSync(folder).mtimeMs > DAY_MS) rmSync(folder, { recursive: true, force: true })
  }
}

function ownCacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env
  const given = process.platform === 'win32' ? LOCALAPPDATA : XDG_CACHE_HOME
  // A relative name would be a folder of the project, which may come from somebody else.
  const parent = given !== undefined && isAbsolute(given) ? given : homeCacheFolder()
  return parent === undefined ? undefined : join(parent, 'keelson', 'compiled')
}

function homeCacheFolder() {
  try {
    const home = homedir()
    return isAbsolute(home) ? join(home, process.platform === 'darwin' ? 'Library/Caches' : '.cache') : undefined
  } catch {
    // A user without an entry in the system's list of users.
    return undefined
  }
}

/** A folder, not a link to one, of this user; nobody else has the rights of `denied`. Windows has no such bits: there the place decides. */
function isOurs(folder, denied) {
  const found = lstatSync(folder)
  if (!found.isDirectory()) return false
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & denied) === 0)
}

function refuse(line) {
  process.stderr.write(`${line}\n`)
  process.exitCode = EXIT_ENVIRONMENT
}

async function start(args) {
  if (runtimeIsTooOld()) {
    refuse(
      `NODE_TOO_OLD  Keelson needs Node ${FLOOR.major}.${FLOOR.minor} or newer; this is ${process.versions.node}. ` +
        'Install a newer Node, or bring one into this project: npm install node@24',
    )
    return
  }
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
    process.stdout.write(`${JSON.parse(manifest).version}\n`)
    return
  }
  const entry = new URL('../dist/edge/cli/main.js', import.meta.url)
  const built = statSync(entry, { throwIfNoEntry: false })
  if (built === undefined) {
    refuse('keelson is not built yet: run `npm run build` first.')
    return
  }
  if (FLOOR.major === Number(process.versions.node.split('.')[0])) silenceExperimentWarnings()
  keepCompiledCode(built.mtimeMs)
  const { main } = await import(entry.href)
  process.exitCode = await main(args)
}

await start(process.argv.slice(2))
