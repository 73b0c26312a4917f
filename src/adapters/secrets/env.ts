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
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

export function envSecrets({ scope, variables, prefix = '' }: EnvSecretsOptions): SecretsProvider {
  return {
    async resolve(refs, asked) {
      const found = new Map<string, SecretValue>()
      if (asked.tenantId !== scope.tenantId || asked.environmentId !== scope.environmentId) return found
      for (const ref of refs) {
        const name = pathFor('env', ref)
        if (name === undefined || !NAME.test(name)) continue
        const value = Object.hasOwn(variables, prefix + name) ? variables[prefix + name] : undefined
        if (value !== undefined && value !== '') found.set(ref, { value, version: `env:${prefix}${name}` })
      }
      return found
    },
  }
}
