/** The server that a command asks, and who asks it. A key is never an option: other users of the machine see command lines. */
import { connect, type Client } from '../../../client/connect.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fail } from '../../../core/problems/problem.ts'
import { serverUrl, type Place } from '../files/place.ts'
import { readText } from '../files/text-file.ts'
import type { Options } from '../terminal/command.ts'

/** Undefined when the runs are here. `actor`: the person of `--as`. */
export async function serverClient(place: Place, actor?: string): Promise<Client | undefined> {
  const url = serverUrl(place)
  if (url === undefined) return undefined
  const apiKey = keyOf(place)
  const token = apiKey === undefined ? (await import('../login/kept-token.ts')).keptToken(url) : undefined
  const how = { url, ...(apiKey === undefined ? {} : { apiKey }), ...(token === undefined ? {} : { token }) }
  const client = connect(how)
  if (actor === undefined) return client
  const { actorId, dev } = await client.me()
  if (actorId === actor) return client
  if (dev === true) return needToBe(connect({ ...how, actAs: actor }), actor)
  return refuseToBe(client, actorId, actor)
}

/** For a command that was found to ask a server, as the person of `--as`. */
export async function needServer(options: Options): Promise<Client> {
  return (
    (await serverClient(options, options.text('as'))) ??
    fail('USAGE', 'no server is named', { hint: 'name it: --server <url>, or KEELSON_SERVER' })
  )
}

function keyOf({ apiKeyFile }: Place): string | undefined {
  const text =
    apiKeyFile === undefined
      ? process.env['KEELSON_API_KEY']
      : readText(apiKeyFile, 'USAGE', { bytes: LIMITS.headerBytes, code: 'USAGE' })
  const key = text?.trim()
  if (key === undefined || key === '') return undefined
  // It becomes a header.
  return /^[\x21-\x7e]+$/.test(key) ? key : fail('USAGE', 'the API key is not one line of visible characters')
}

/** What is done would be recorded under another name. */
async function needToBe(client: Client, actor: string): Promise<Client> {
  const { actorId } = await client.me()
  return actorId === actor ? client : refuseToBe(client, actorId, actor)
}

function refuseToBe({ url }: Client, actorId: string, actor: string): never {
  return fail(
    'AUTHZ_DENIED',
    `${url} takes you for '${actorId}'; only a server for development (keelson dev) lets you act as '${actor}'`,
    { hint: `leave out --as, or use the key or the login of '${actor}'` },
  )
}
