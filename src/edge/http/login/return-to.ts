/** Where a login leads back to: a path of this server, never another one, however it is spelt. */
import { fail } from '../../../core/problems/problem.ts'

/** One slash first; no backslash, which browsers take for a slash, and nothing that they leave out. */
const PATH = /^\/(?![/\\])[^\\\p{Cc}\s]*$/u

/** As a whole address, so that no path can be read as a host. */
export function returnAddress(path: string, origin: string): string {
  const url = PATH.test(path) && URL.canParse(path, origin) ? new URL(path, origin) : undefined
  if (url === undefined || url.origin !== origin)
    return fail('BODY_INVALID', 'query: returnTo is a path of this server, such as /v1/me', { pointer: '/returnTo' })
  return url.href
}
