/** Several providers as one: the first that knows a reference answers for it. */
import type { SecretsProvider, SecretValue } from '../../ports/secrets.ts'

export function firstOf(providers: readonly SecretsProvider[]): SecretsProvider {
  return {
    async resolve(refs, scope) {
      const found = new Map<string, SecretValue>()
      for (const provider of providers) {
        const open = refs.filter((ref) => !found.has(ref))
        if (open.length === 0) break
        for (const [ref, value] of await provider.resolve(open, scope)) found.set(ref, value)
      }
      return found
    },
  }
}
