/** Providers of secrets: what they find, for which tenant, and what they refuse. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { SecretScope, SecretsProvider } from '../../ports/secrets.ts'
import { firstOf } from './chain.ts'
import { envSecrets } from './env.ts'
import { fileSecrets } from './file.ts'
import { testFolder } from '../../../test/fixtures/folder.ts'

const DEV: SecretScope = { tenantId: 'acme', environmentId: 'dev' }
const PROD: SecretScope = { tenantId: 'acme', environmentId: 'prod' }
const OTHER: SecretScope = { tenantId: 'globex', environmentId: 'dev' }

async function found(provider: SecretsProvider, scope: SecretScope, ...refs: readonly string[]) {
  const values = await provider.resolve(refs, scope)
  return Object.fromEntries([...values].map(([ref, { value }]) => [ref, value]))
}

describe('environment variables', () => {
  const variables = { PAY_TOKEN: 'value-1', EMPTY: '', KS_TOKEN: 'value-2' }
  const provider = envSecrets({ scope: DEV, variables })

  it('are found by name, with and without the word env', async () => {
    expect(await found(provider, DEV, 'secret://env/PAY_TOKEN', 'secret://PAY_TOKEN', 'secret://env/NONE')).toEqual({
      'secret://env/PAY_TOKEN': 'value-1',
      'secret://PAY_TOKEN': 'value-1',
    })
  })

  it('that are empty, inherited or of another provider are not found', async () => {
    const refs = ['secret://EMPTY', 'secret://env/toString', 'secret://file/PAY_TOKEN', 'secret://a/PAY_TOKEN']
    expect(await found(provider, DEV, ...refs)).toEqual({})
  })

  it('are read only under the prefix when there is one', async () => {
    const narrow = envSecrets({ scope: DEV, variables, prefix: 'KS_' })
    expect(await found(narrow, DEV, 'secret://env/TOKEN', 'secret://env/PAY_TOKEN')).toEqual({
      'secret://env/TOKEN': 'value-2',
    })
  })

  it('belong to one tenant and one environment [SEC-04, SEC-10]', async () => {
    expect(await found(provider, OTHER, 'secret://PAY_TOKEN')).toEqual({})
    expect(await found(provider, PROD, 'secret://PAY_TOKEN')).toEqual({})
  })
})

describe('a secrets file', () => {
  let folder = ''
  beforeEach(() => {
    folder = testFolder()
  })

  function write(scope: SecretScope, kind: 'json' | 'env', text: string, mode = 0o600): string {
    mkdirSync(join(folder, scope.tenantId), { recursive: true })
    const file = join(folder, scope.tenantId, `${scope.environmentId}.${kind}`)
    writeFileSync(file, text)
    chmodSync(file, mode)
    return file
  }

  it('gives what lies at a path, as JSON or as lines', async () => {
    write(DEV, 'json', '{ "payments": { "token": "value-1", "pin": 1234 }, "a/b": "value-2" }')
    write(DEV, 'env', 'PAY_TOKEN="value-3"\n# a note\nempty=\n')
    const refs = ['payments/token', 'file/payments/pin', 'a/b', 'PAY_TOKEN', 'empty', 'payments', 'payments/toString']
    expect(await found(fileSecrets(folder), DEV, ...refs.map((path) => `secret://${path}`))).toEqual({
      'secret://payments/token': 'value-1',
      'secret://file/payments/pin': '1234',
      'secret://a/b': 'value-2',
      'secret://PAY_TOKEN': 'value-3',
    })
  })

  it('of another tenant or environment is never looked at [SEC-04, SEC-10]', async () => {
    write(PROD, 'json', '{ "token": "of-production" }')
    write(OTHER, 'json', '{ "token": "of-another" }')
    expect(await found(fileSecrets(folder), DEV, 'secret://token')).toEqual({})
    expect(await found(fileSecrets(folder), PROD, 'secret://token')).toEqual({ 'secret://token': 'of-production' })
    for (const tenantId of ['../acme', 'acme/../globex', '..', ''])
      expect(await found(fileSecrets(folder), { ...DEV, tenantId }, 'secret://token')).toEqual({})
    expect(await found(fileSecrets(folder), { ...PROD, environmentId: '../globex/dev' }, 'secret://token')).toEqual({})
  })

  it('is read anew each time, under a version of its own', async () => {
    const provider = fileSecrets(folder)
    write(DEV, 'json', '{ "token": "old" }')
    const before = await provider.resolve(['secret://token'], DEV)
    write(DEV, 'json', '{ "token": "new" }')
    const after = await provider.resolve(['secret://token'], DEV)
    expect([before.get('secret://token')?.value, after.get('secret://token')?.value]).toEqual(['old', 'new'])
    expect(after.get('secret://token')?.version).toMatch(/^file:\d{4}-/)
  })

  it.each([0o644, 0o640, 0o604])('with mode %o is refused', async (mode) => {
    write(DEV, 'json', '{ "token": "value" }', mode)
    const refusal = await fileSecrets(folder)
      .resolve(['secret://token'], DEV)
      .catch((thrown: unknown) => thrown)
    expect(refusal).toMatchObject({ code: 'SECRETS_FILE_REFUSED' })
  })

  it('that is broken is refused without a word of what it holds [SEC-03]', async () => {
    write(DEV, 'json', '{ "token": canary-value }')
    const refusal = await fileSecrets(folder)
      .resolve(['secret://token'], DEV)
      .catch((thrown: unknown) => thrown)
    expect(refusal).toBeInstanceOf(KeelsonError)
    expect(String((refusal as Error).stack) + JSON.stringify(refusal)).not.toContain('canary')
    expect((refusal as KeelsonError).cause).toBeUndefined()
  })

  it('comes before the environment where both are asked', async () => {
    write(DEV, 'env', 'TOKEN=from-file\n')
    const env = envSecrets({ scope: DEV, variables: { TOKEN: 'from-env', OTHER: 'from-env' } })
    const both = firstOf([fileSecrets(folder), env])
    expect(await found(both, DEV, 'secret://TOKEN', 'secret://env/TOKEN', 'secret://OTHER')).toEqual({
      'secret://TOKEN': 'from-file',
      'secret://env/TOKEN': 'from-env',
      'secret://OTHER': 'from-env',
    })
  })
})
