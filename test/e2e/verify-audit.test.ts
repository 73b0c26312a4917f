/** `keelson verify --audit`: what a server recorded is proved afterwards, and what was done to it is found. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, it } from 'vitest'
import { dropTriggers } from '../fixtures/raw-log.ts'
import { heldServer } from '../server/held-run.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson } from './command.ts'

beforeAll(ensureBuilt)

it('proves chain and signatures, and finds a record whose actor was changed [AUT-12]', async () => {
  const folder = folderWith({})
  const directory = join(folder, '.keelson')
  {
    await using server = await heldServer({ directory })
    const run = await server.started()
    await server.signal(run, { signalType: 'EMERGENCY_STOP', payload: { reason: 'fire' } })
  }
  const whole = await keelson(['verify', '--audit', '--json'], folder)
  expect(whole.code).toBe(0)
  expect(jsonLines(whole.stdout)).toEqual([
    expect.objectContaining({ tenantId: 'acme', whole: true, signed: true, findings: [] }),
  ])
  expect((await keelson(['verify', '--audit'], folder)).stdout).toContain('the audit log of acme is whole')
  const database = new DatabaseSync(join(directory, 'keelson.db'))
  dropTriggers(database)
  database.exec(`UPDATE audit_log SET record = replace(record, '"ana"', '"eve"') WHERE position = 2`)
  database.close()
  const altered = await keelson(['verify', '--audit'], folder)
  expect([altered.code, altered.stdout]).toEqual([
    1,
    expect.stringContaining('record 2: its hash is not that of its text'),
  ])
  expect((await keelson(['verify', 'last', '--audit'], folder)).code).toBe(2)
})
