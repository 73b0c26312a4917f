/**
 * Which keys are meant for a secret (SEC-01): names of secrets in any spelling. `API_KEY`, `api-key`, `apiKey` and
 * `ａｐｉＫｅｙ` are one name; `DB_PASSWORD` is a password too.
 */
const NAMES: ReadonlySet<string> = new Set([
  'token',
  'apitoken',
  'accesstoken',
  'authtoken',
  'bearertoken',
  'refreshtoken',
  'sessiontoken',
  'authorization',
  'proxyauthorization',
  'privatekey',
  'secretkey',
  'secretaccesskey',
])
/** After any prefix. `token` is not among them: a page token is no secret. */
const ENDINGS = ['password', 'passwd', 'passphrase', 'secret', 'apikey'] as const

export function isSecretName(key: string): boolean {
  // Compatibility forms first: full-width inbox rows, ligatures, and invisible marks.
  const name = key
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
  return NAMES.has(name) || ENDINGS.some((ending) => name.endsWith(ending))
}
