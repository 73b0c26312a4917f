/**
 * A link in the state folder redirects writes to another place and reads to another file: it is never followed. Systems
 * report it in two ways.
 */
import { fail } from './problems/problem.ts'

const LINK_CODES: ReadonlySet<unknown> = new Set(['ELOOP', 'EMLINK'])

/** For an error of a file system that was told to follow no link; other errors are left to the caller. */
export function refuseLink(thrown: unknown, path: string): void {
  if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && LINK_CODES.has(thrown.code)) linkAt(path)
}

export function linkAt(path: string): never {
  return fail('STATE_LINK_REFUSED', `${path} is a symbolic link, and links in the state folder are not followed`)
}
