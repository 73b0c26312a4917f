/**
 * Cookies of a login: readable by no script, sent by no page of another site, and bound to this host alone where the server is reached over
 * TLS (`__Host-`). On the loopback address browsers share cookies between ports, so there the name has the port.
 */

export interface CookieNames {
  /** A login that is under way. */
  readonly login: string
  readonly session: string
  readonly isSecure: boolean
}

export function cookieNames({ protocol, port }: URL): CookieNames {
  const isSecure = protocol === 'https:'
  const name = (what: string): string =>
    isSecure ? `__Host-keelson-${what}` : `keelson-${what}${port === '' ? '' : `-${port}`}`
  return { login: name('login'), session: name('session'), isSecure }
}

/** A name that is given twice means two things, so it means nothing. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  const found = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
  return found.length === 1 ? found[0]?.slice(name.length + 1) : undefined
}

/** Sealed values have only characters that a cookie takes. */
export function setCookie(name: string, value: string, maxAgeMs: number, isSecure: boolean): string {
  const seconds = Math.max(0, Math.floor(maxAgeMs / 1_000))
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}

export function dropCookie(name: string, isSecure: boolean): string {
  return setCookie(name, '', 0, isSecure)
}
