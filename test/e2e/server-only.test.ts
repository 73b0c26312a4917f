/** What a server alone has, and what it is asked for from afar: keys, shared resources, its queue, triggers, second persons and the audit log. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, until, type Finished } from './command.ts'

beforeAll(ensureBuilt)

const PLAN =
  'plan: order\nversion: 1.0.0\nsteps:\n  - { id: pack, run: pack, agent: writer }\noutput: { name: "${input.name}" }\n'
const WAITING = 'plan: held\nversion: 1.0.0\nsteps:\n  - { id: release, manual: { title: Release it } }\n'
const FILES = {
  'order.yaml': PLAN,
  'held.yaml': WAITING,
  'keelson.steps.mjs': 'export const pack = () => 1\n',
  'keelson.config.yaml': 'signals: { approvalFor: [PAUSE] }\n',
}

interface Place {
  readonly folder: string
  readonly say: (line: readonly string[], code?: number) => Promise<string>
  readonly ask: (...line: readonly string[]) => Promise<Finished>
}

async function served(...more: readonly string[]): Promise<Place> {
  const folder = folderWith(FILES)
  const process = new Command(['dev', '.', '--port', '0', ...more], folder)
  const [, server = ''] = await process.shows(/ready at (http:\/\/\S+)/)
  const ask = (...line: readonly string[]): Promise<Finished> => keelson([...line, '--server', server], folder)
  const say = async (line: readonly string[], code = 0): Promise<string> => {
    const told = await ask(...line)
    expect({ line, code: told.code, stderr: code === 0 ? told.stderr : '' }).toEqual({ line, code, stderr: '' })
    return told.stdout
  }
  return { folder, say, ask }
}

it('makes, lists and revokes keys of the caller’s tenant through a server', async () => {
  const { ask, say } = await served()
  const made = await ask('keys', 'create', '--role', 'viewer', '--name', 'for the panel', '--json')
  const { keyId, key } = jsonLines(made.stdout)[0] as { readonly keyId: string; readonly key: string }
  expect({ code: made.code, key }).toEqual({ code: 0, key: expect.stringMatching(`^kls_${keyId}_`) as string })
  expect(await say(['keys', 'list'])).toMatch(new RegExp(`${keyId} +local +local +viewer +never +valid +for the panel`))
  expect((await ask('keys', 'list', '--tenant', 'acme')).stderr).toMatch(/^AUTHZ_TENANT_FORBIDDEN /)
  expect(await say(['keys', 'revoke', key])).toMatch(new RegExp(`^${keyId} of local is revoked since `))
  expect(await say(['keys', 'list'])).toMatch(new RegExp(`${keyId} .* revoked `))
  expect(await ask('keys', 'revoke', '0123456789abcdef')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^KEY_NOT_FOUND/) as string,
  })
})

it('shows what runs share, and starts what is queued, through a server without a clockwork of its own', async () => {
  const { folder, say, ask } = await served('--duties', 'api,engine,followers')
  await keelson(['resources', 'set', 'gpu', '--capacity', '2'], folder)
  const here = await keelson(['resources'], folder)
  expect(await say(['resources'])).toBe(here.stdout)
  expect(here.stdout).toMatch(/resource:gpu +0 +2 +0/)
  const plans = await say(['plan', 'list'])
  expect(plans).toMatch(/held +1\.0\.0 +[0-9a-f]{64}\norder +1\.0\.0 +[0-9a-f]{64}\n$/)
  expect((await keelson(['plan', 'list'], folder)).stdout).toBe(plans)
  expect(jsonLines(await say(['plan', 'list', 'order', '--json']))).toMatchObject([{ planVersion: '1.0.0' }])
  expect((await ask('plan', 'list', 'nothing')).stderr).toMatch(/^PLAN_NOT_FOUND/)
  expect(await say(['queue', 'start'])).toBe('nothing is queued that could start now\n')
  await say(['run', '--plan-id', 'order', '--queue', '--set', 'name=one'])
  expect(await say(['queue', 'start', 'last'])).toMatch(/✔ completed in .*\n {2}output +\{"name":"one"\}/)
  for (const name of ['two', 'three']) await say(['run', '--plan-id', 'order', '--queue', '--set', `name=${name}`])
  expect(await say(['queue', 'start', '--limit', '1'])).toMatch(/"name":"two"/)
  expect(await say(['queue', 'start'])).toMatch(/"name":"three"/)
  const again = await ask('queue', 'start', 'last')
  expect([again.code === 0, again.stderr]).toEqual([false, expect.stringMatching(/^RUN_NOT_QUEUED|^RUN_/)])
})

it('accepts and refuses signals as the second person [AUT-04]', async () => {
  const { say, ask } = await served()
  expect(await say(['decisions'])).toBe('nothing waits for a second person\n')
  await ask('run', '--plan-id', 'held', '--detach', '--as', 'bo')
  await until('it waits', async () => (await say(['tasks', 'last'])).includes('Release it'))
  for (const settle of ['refuse', 'accept']) {
    await ask('signal', 'last', 'pause', '--reason', 'stock', '--as', 'bo')
    const [waiting] = jsonLines(await say(['decisions', '--json']))
    const id = String(waiting?.['signalDecisionId'])
    expect(await say(['decisions'])).toMatch(new RegExp(`${id} +[0-9a-f]{8} +pause +PENDING +bo +stock`))
    expect((await ask('decisions', settle, id, '--as', 'bo')).code).not.toBe(0)
    const done = await say(['decisions', settle, id, '--reason', 'looked', '--as', 'ana'])
    expect(done).toMatch(new RegExp(`^pause of run [0-9a-f]{8} is ${settle}e?d\n$`))
  }
  await until('it is paused', async () => (await say(['show', 'last'])).includes('paused'))
  expect(await say(['decisions', '--all'])).toMatch(/REJECTED|ACCEPTED/)
})

it('makes, tries, changes, shows and removes a trigger, and shows on the audit log who did', async () => {
  const { folder, say, ask } = await served()
  writeFileSync(join(folder, 'secret.txt'), '0123456789abcdef\n')
  const input = ['--scheme', 'github', '--input', '{"name": "${input.body.pusher}"}']
  const made = await say(['triggers', 'create', 'push', 'order', ...input, '--secret-file', 'secret.txt'])
  expect(made).toMatch(/^push starts order; deliver to http:\/\/127\.0\.0\.1:\d+\/v1\/triggers\/\S+\n$/)
  expect(await say(['triggers', 'list'])).toMatch(/push +order +github +\/v1\/triggers\//)
  expect(await say(['triggers', 'test', 'push', '--data', '{"pusher": "Ana"}'])).toBe('{"name":"Ana"}\n')
  const changed = ['triggers', 'update', 'push', 'order', '--scheme', 'stripe', '--version', '1.0.0']
  expect(await say(changed)).toContain(made.trim().split('/').at(-1) ?? 'an address')
  expect(await say(['triggers', 'show', 'push'])).toMatch(/^push {3}order, signed as stripe\n {2}deliver to {2}http/)
  expect((await ask('triggers', 'create', 'other', 'order', '--scheme', 'gitlab')).stderr).toMatch(/^USAGE .*'gitlab'/)
  expect(await say(['triggers', 'delete', 'push'])).toBe('push is gone; runs that it started go on\n')
  expect((await ask('triggers', 'show', 'push')).stderr).toMatch(/^TRIGGER_NOT_FOUND/)
  await until('it is on record', async () => /local +\S+ +GRANTED +push/.test(await say(['audit', '--target', 'push'])))
  const records = jsonLines(await say(['audit', '--json'])).map(({ position }) => Number(position))
  expect(records.length).toBeGreaterThan(2)
  expect(records).toEqual(records.toSorted((a, b) => a - b))
  expect(await say(['audit', '--decision', 'denied', '--actor', 'nobody'])).toBe('nothing on record matches\n')
  const alone = await keelson(['audit'], folder)
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringMatching(/no server is named; name it: --server/)])
})
