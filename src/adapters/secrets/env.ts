/**
 * Secrets from environment variables: `secret://env/NAME`, or `secret://NAME` for short. A process has one environment, so
 * the provider serves exactly one tenant and one environment and knows nothing for any other (SEC-04, SEC-10).
 */
import type { SecretScope, SecretsProvider, SecretValue } from '../../ports/secrets.ts'
import { pathFor } from './reference.ts'

export interface EnvSecretsOptions {
  readonly scope: Pick<SecretScope, 'tenantId' | 'environmentId'>
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Only variables that begin with it can be read; it is not written in references. */
  readonly prefix?: string
  /** Only these can be read. */
  readonly names?: readonly string[]
}

/** What a plan may read of a process whose environment was not made for plans. */
const OWN_PREFIX = 'KEELSON_SECRET_'

export interface EnvironmentAccess {
  /**
   * Which variables of this process plans may read as secrets: all of them, those in a list, or (default) those made for it:
   * `secret://NAME` reads `KEELSON_SECRET_NAME`.
   */
  readonly environmentSecrets?: boolean | readonly string[]
}

export function allowedVariables({
  environmentSecrets = false,
}: EnvironmentAccess): Pick<EnvSecretsOptions, 'prefix' | 'names'> {
  if (typeof environmentSecrets === 'object') return { names: environmentSecrets }
  return environmentSecrets ? {} : { prefix: OWN_PREFIX }
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

export function envSecrets({ scope, variables, prefix = '', names }: EnvSecretsOptions): SecretsProvider {
  return {
    async resolve(refs, asked) {
      const found = new Map<string, SecretValue>()
      if (asked.tenantId !== scope.tenantId || asked.environmentId !== scope.environmentId) return found
      for (const ref of refs) {
        const name = pathFor('env', ref)
        if (name === undefined || !NAME.test(name) || names?.includes(name) === false) continue
        const value = Object.hasOwn(variables, prefix + name) ? variables[prefix + name] : undefined
        if (value !== undefined && value !== '') found.set(ref, { value, version: `env:${prefix}${name}` })
      }
      return found
    },
  }
}
