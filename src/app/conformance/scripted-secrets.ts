/** The secrets of a conformance entry, the same for every caller. */
import type { SecretsProvider } from '../../ports/secrets.ts'

export function scriptedSecrets(values: Readonly<Record<string, string>>): SecretsProvider {
  return {
    resolve: async (refs) =>
      new Map(refs.flatMap((ref) => (values[ref] === undefined ? [] : [[ref, { value: values[ref] }]]))),
  }
}
