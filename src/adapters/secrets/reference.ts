/** The path behind `secret://<provider>/<path>` for one provider; a reference that names no provider is for any. */
const SCHEME = 'secret://'
const PROVIDERS: ReadonlySet<string> = new Set(['env', 'file'])

/** Undefined when the reference is for another provider. */
export function pathFor(provider: 'env' | 'file', ref: string): string | undefined {
  if (!ref.startsWith(SCHEME)) return undefined
  const path = ref.slice(SCHEME.length)
  const slash = path.indexOf('/')
  const first = slash < 0 ? '' : path.slice(0, slash)
  if (first === provider) return path.slice(slash + 1)
  return PROVIDERS.has(first) ? undefined : path
}
