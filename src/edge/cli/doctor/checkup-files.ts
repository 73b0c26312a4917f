/**
 * Who can read the state folder, and is it reached without links? Checks what Keelson made, at any depth, and never
 * what else the user keeps there.
 */
import { lstatSync, readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { isStateName, isWhollyState } from '../../../core/state-folder.ts'
import type { Finding } from './finding.ts'
import { plural } from '../terminal/format.ts'

const OTHERS = 0o077
/** Enough to show that something is wrong; the suggested command covers all. */
const LOOKED_AT = 10_000
const NAMED = 3

interface Found {
  readonly links: string[]
  readonly foreign: string[]
  readonly open: string[]
  seen: number
}

export function fileFindings(directory: string): readonly Finding[] {
  const top = lstatSync(directory, { throwIfNoEntry: false })
  if (top === undefined) return []
  const found: Found = { links: [], foreign: [], open: [], seen: 0 }
  if (top.isSymbolicLink()) return [linkFinding([directory])]
  const names = readable(directory)
  const isOurs = isWhollyState(basename(resolve(directory)), names)
  if (isOurs) lookAt(directory, found, false)
  for (const name of names.filter(isStateName)) lookAt(join(directory, name), found, true)
  const { links, foreign, open, seen } = found
  const problems = [
    ...(links.length === 0 ? [] : [linkFinding(links)]),
    ...(foreign.length === 0 ? [] : [ownerFinding(foreign)]),
    ...(open.length === 0 ? [] : [modeFinding(open, isOurs ? directory : undefined)]),
  ]
  if (problems.length > 0 || seen === 0) return problems
  const says = process.platform === 'win32' ? 'file permissions are not checked on Windows' : 'readable by you alone'
  return [{ name: 'state files', health: 'well', says }]
}

function lookAt(path: string, found: Found, deep: boolean): void {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry === undefined || found.seen >= LOOKED_AT) return
  found.seen += 1
  if (entry.isSymbolicLink()) found.links.push(path)
  else if (process.platform !== 'win32') {
    if (entry.uid !== process.getuid?.()) found.foreign.push(path)
    else if ((entry.mode & OTHERS) !== 0) found.open.push(path)
  }
  if (deep && entry.isDirectory()) for (const name of readable(path)) lookAt(join(path, name), found, true)
}

function readable(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (thrown) {
    // Its owner was already reported; its content cannot be read.
    if (['EACCES', 'ENOTDIR', 'ENOENT'].includes((thrown as NodeJS.ErrnoException).code ?? '')) return []
    throw thrown
  }
}

function linkFinding(links: readonly string[]): Finding {
  const says = `STATE_LINK_REFUSED  ${told(links)} ${links.length === 1 ? 'is a symbolic link' : 'are symbolic links'}`
  const todo = `Look where it leads (\`ls -l ${quoted(links.slice(0, 1))}\`), then remove it; to keep state elsewhere, name that folder with --dir.`
  return { name: 'state links', health: 'bad', says, todo }
}

function ownerFinding(foreign: readonly string[]): Finding {
  const says = `${told(foreign)} ${foreign.length === 1 ? 'belongs' : 'belong'} to another user`
  const todo = `Run Keelson as one user; to make them yours: sudo chown -R "$(id -u)" ${quoted(foreign.slice(0, NAMED))}`
  return { name: 'state owner', health: 'warning', says, todo }
}

function modeFinding(open: readonly string[], whole: string | undefined): Finding {
  const todo = `chmod -R go-rwx ${whole === undefined ? quoted(open.slice(0, LOOKED_AT)) : quoted([whole])}`
  return { name: 'state files', health: 'bad', says: `others on this machine can use ${told(open)}`, todo }
}

function told(paths: readonly string[]): string {
  const more = paths.length - NAMED
  const named = paths.slice(0, NAMED).join(', ')
  return more > 0 ? `${named} and ${plural(more, 'more file')}` : named
}

/** Quoted for a shell. */
function quoted(paths: readonly string[]): string {
  return paths.map((path) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)).join(' ')
}
