/** Used where signing keys are needed and none were named: nothing is signed, and nothing passes as signed (P-35). */
import { fail } from '../../core/problems/problem.ts'
import type { SigningKeys } from '../../ports/signing-keys.ts'

export function noKeys(): SigningKeys {
  const refuse = async (): Promise<never> =>
    fail('KEYS_NOT_CONFIGURED', 'no folder was given for the keys that sign task tokens')
  return { current: refuse, find: refuse }
}
