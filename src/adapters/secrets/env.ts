/**
 * Secrets from environment variables: `secret://env/NAME`, or `secret://NAME` for short. A process has one environment,
 * so the provider serves exactly one tenant and one environment and knows nothing about others (SEC-04, SEC-10).
 */
import type { SecretScope, SecretsProvider, SecretValue } from '../../ports/secrets.ts'
import { pathFor } from './reference.ts'

export interface EnvSecretsOptions {
  readonly scope: Pick<SecretScope, 'tenantId' | 'environmentId'>
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Only variables with this prefix can be read; references omit it. */
  readonly prefix?: string
  /** In addition these variables, under their own names. */
  readonly names?: readonly string[]
}

/** What plans may read from a process whose environment was not made for plans. */
const OWN_PREFIX = 'KEELSON_SECRET_'

export interface EnvironmentAccess {
  /**
   * Which variables of this process plans may read as secrets: all of them, or those with the prefix (`secret://NAME`
   * reads `KEELSON_SECRET_NAME`) and those in a list. Default: only those with the prefix.
   */
  readonly environmentSecrets?: boolean | readonly string[]
}

export function allowedVariables({
  environmentSecrets = false,
}: EnvironmentAccess): Pick<EnvSecretsOptions, 'prefix' | 'names'> {
  if (typeof environmentSecrets === 'object') return { prefix: OWN_PREFIX, names: environmentSecrets }
  return environmentSecrets ? {} : { prefix: OWN_PREFIX }
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

export function envSecrets({ scope, variables, prefix = '', names = [] }: EnvSecretsOptions): SecretsProvider {
  return {
    async resolve(refs, asked) {
      const found = new Map<string, SecretValue>()
      if (asked.tenantId !== scope.tenantId || asked.environmentId !== scope.environmentId) return found
      for (const ref of refs) {
        const name = pathFor('env', ref)
        if (name === undefined || !NAME.test(name)) continue
        const variable = names.includes(name) ? name : prefix + name
        const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined
        if (value !== undefined && value !== '') found.set(ref, { value, version: `env:${variable}` })
      }
      return found
    },
  }
}
