/**
 * Who sends a request, from its headers alone. Several ways of recognising somebody are tried in order; the first that sees
 * credentials of its kind decides. No credentials, and no way that lets them be missing: nobody.
 */
import type { Caller } from '../../../app/identity/caller.ts'
import { isName } from '../../../app/identity/api-key.ts'
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import { fail } from '../../../core/problems/problem.ts'

export interface Credentials {
  readonly header: (name: string) => string | undefined
  readonly sourceIp: string
}

/** Undefined: these credentials are not of its kind. */
export type WhoAsks = (credentials: Credentials) => Promise<Caller | undefined> | Caller | undefined

export function firstWho(ways: readonly WhoAsks[]): WhoAsks {
  return async (credentials) => {
    for (const way of ways) {
      const caller = await way(credentials)
      if (caller !== undefined) return { ...caller, sourceIp: credentials.sourceIp }
    }
    return fail('NOT_AUTHENTICATED', 'the request carries no credentials that this server knows')
  }
}

/** In development: whom the local user acts for. */
export const ACT_AS = 'x-keelson-act-as'

/**
 * A server without configured authentication listens on the loopback address only, and whoever reaches it is the local user with
 * every right. In development the request may name another person, so that rules for two people can be tried.
 */
export function localUser(dev: boolean): WhoAsks {
  return ({ header }) => {
    if (header('authorization') !== undefined) return undefined
    const name = dev ? header(ACT_AS) : undefined
    if (name !== undefined && !isName(name)) fail('HEADER_INVALID', `${ACT_AS} is not the name of a person`)
    return {
      ...LOCAL_PRINCIPAL,
      ...(name === undefined ? {} : { actorId: name }),
      kind: 'local',
      roles: ['Admin', 'server-operator'],
    }
  }
}
