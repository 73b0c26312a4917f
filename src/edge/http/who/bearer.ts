/** The text after `Bearer` in `Authorization`; undefined where the header is missing or of another kind. */
import type { Credentials } from './who-asks.ts'

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i

export function bearerOf({ header }: Credentials): string | undefined {
  return BEARER.exec(header('authorization') ?? '')?.[1]
}
