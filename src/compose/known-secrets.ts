/** Which secrets this machine has for the runs of a folder, as `openKeelson` would find them. No value leaves here. */
import { join } from 'node:path'
import { envSecrets, allowedVariables } from '../adapters/secrets/env.ts'
import { fileSecrets } from '../adapters/secrets/file.ts'
import { LOCAL_PRINCIPAL } from '../app/principal.ts'

/** The references among these that lead to a value. Throws SECRETS_FILE_REFUSED where a file of secrets cannot be used. */
export async function knownSecrets(directory: string, refs: readonly string[]): Promise<ReadonlySet<string>> {
  const scope = LOCAL_PRINCIPAL
  const env = envSecrets({ scope, variables: process.env, ...allowedVariables({}) })
  const providers = [fileSecrets(join(directory, 'secrets')), env]
  const found = await Promise.all(providers.map((provider) => provider.resolve(refs, scope)))
  return new Set(found.flatMap((known) => [...known.keys()]))
}

/** The file in which the command line looks first: its tenant and its environment are both `local`. */
export function secretsFile(directory: string): string {
  return join(directory, 'secrets', 'local', 'local.env')
}
