/**
 * Other versions of Node, for the walk of a newcomer: the npm package `node` of that version, obtained once into the cache. The
 * repository's own Node 24 comes from its node_modules.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { ROOT } from '../../scripts/terminal.ts'
import { runChild } from '../fixtures/child.ts'

const CACHE = join(ROOT, '.cache', 'nodes')
const INSTALL_MS = 240_000

/** The folder with `node` in it. */
export function nodeFolder(version: string): string {
  const folder = join(CACHE, version)
  const bin = join(folder, 'node_modules', 'node', 'bin')
  if (existsSync(bin)) return bin
  // Under another name until it is whole: a test that was stopped leaves nothing half.
  const fresh = `${folder}.${process.pid}`
  mkdirSync(fresh, { recursive: true })
  const args = ['install', '--prefix', fresh, '--no-save', '--no-audit', '--no-fund', `node@${version}`]
  const { status, stderr } = runChild('npm', args, { cwd: fresh, env: npmEnvironment(), timeout: INSTALL_MS })
  if (status !== 0) throw new Error(`Node ${version} cannot be had: ${stderr}`)
  rmSync(folder, { recursive: true, force: true })
  renameSync(fresh, folder)
  return bin
}

/** What npm has already is not asked for again, and nothing is looked up beside it. */
const QUICK = {
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  npm_config_prefer_offline: 'true',
}

/** What npm told the tests about this repository is nothing to a project of its own. */
const OF_THE_MACHINE = /^npm_config_(registry|cache|userconfig|globalconfig|https?_proxy|noproxy|cafile|strict_ssl)$/i

/** The environment of somebody who types into a new terminal, with this Node first on the PATH. */
export function npmEnvironment(bin?: string): Readonly<Record<string, string | undefined>> {
  const kept = Object.entries(process.env).filter(
    ([name]) => OF_THE_MACHINE.test(name) || !/^(npm_|NODE_|VITEST|CI$|NO_COLOR|INIT_CWD|KEELSON_)/i.test(name),
  )
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((place) => !place.includes('node_modules'))
    .join(delimiter)
  return { ...Object.fromEntries(kept), ...QUICK, PATH: bin === undefined ? path : `${bin}${delimiter}${path}` }
}
