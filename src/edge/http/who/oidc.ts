/** A caller by a token of an OIDC issuer: `Authorization: Bearer <JWT>`. */
import { bearerOf } from './bearer.ts'
import { tokenReader, type TokenRules, type TokenWays } from './token-caller.ts'
import type { WhoAsks } from './who-asks.ts'

export interface Oidc extends TokenRules {
  readonly audience: string
}

export function byOidc(oidc: Oidc, ways: TokenWays): WhoAsks {
  const read = tokenReader(oidc, ways)
  return async (credentials) => {
    const token = bearerOf(credentials)
    return token === undefined ? undefined : (await read(token, oidc.audience))?.caller
  }
}
