/**
 * The peers are no dependencies of Keelson: they are installed here, by npm, into a cache that git ignores, when somebody
 * asks for the race. Versions are exact, so that two races compare the same programs.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const CACHE = join(import.meta.dirname, '..', '..', '..', '.cache', 'race')

/** Beside each peer what it needs and leaves to us. */
const PEERS = {
  '@dbos-inc/dbos-sdk': { '@dbos-inc/dbos-sdk': '5.3.0' },
  openworkflow: { openworkflow: '0.10.1', postgres: '3.4.9' },
  '@restatedev/restate-sdk': { '@restatedev/restate-sdk': '1.17.2', '@restatedev/restate-server': '1.7.12' },
} as const

export type Peer = keyof typeof PEERS

export type Versions = Readonly<Record<string, string>>

/**
 * Why it cannot take part, or the versions that lie there, of it and what was installed beside it. Each in a folder of its own: one that
 * fails does not take the other along.
 */
export function installPeer(peer: Peer): { readonly versions: Versions } | { readonly problem: string } {
  const wanted: Versions = PEERS[peer]
  const folder = folderOf(peer)
  const isThere = (): boolean =>
    Object.entries(wanted).every(([name, version]) => installedVersion(peer, name) === version)
  const versions = (): Versions =>
    Object.fromEntries(Object.keys(wanted).map((name) => [name, installedVersion(peer, name) ?? '']))
  if (isThere()) return { versions: versions() }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: wanted }, undefined, 2))
  const options = { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' } as const
  const npm = spawnSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts'], options)
  if (npm.status === 0 && isThere()) return { versions: versions() }
  return { problem: (npm.error?.message ?? npm.stderr).trim().split('\n').at(-1) ?? 'npm install failed' }
}

function folderOf(peer: string): string {
  return join(CACHE, peer.replaceAll(/[@/]+/g, '-').replace(/^-/, ''))
}

function installedVersion(peer: Peer, name: string): string | undefined {
  const manifest = join(folderOf(peer), 'node_modules', name, 'package.json')
  if (!existsSync(manifest)) return undefined
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version
}

/** A module of an installed peer, typed by whoever uses it. */
export async function importPeer<T>(name: Peer | `${Peer}/${string}`): Promise<T> {
  const owner = Object.keys(PEERS).find((peer) => name === peer || name.startsWith(`${peer}/`)) ?? name
  const path = createRequire(join(folderOf(owner), 'package.json')).resolve(name)
  return (await import(pathToFileURL(path).href)) as T
}

/** A program that an installed peer brings. */
export function programOf(peer: Peer, name: string): string {
  return join(folderOf(peer), 'node_modules', '.bin', name)
}
