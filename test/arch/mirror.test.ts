/** Stores mirror each other: what two of them both have lies in files of equal names, so that two files can be compared. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { productFiles } from '../../scripts/repository.ts'
import { ROOT } from '../../scripts/terminal.ts'

const STORES = 'src/adapters/stores'

/** Concepts only one store has: a database's own errors, its schema and its versions, rows as columns, its files, other threads. */
const ALONE: Readonly<Record<string, readonly string[]>> = {
  sqlite: [
    'append-faults.ts',
    'append-text.ts',
    'backup.ts',
    'beside-batches.ts',
    'commit-thread.ts',
    'copy-log.ts',
    'decision-row.ts',
    'event-keys.ts',
    'examine.ts',
    'failure.ts',
    'faults.ts',
    'grant-pools.ts',
    'hand-over.ts',
    'migrate.ts',
    'open-read-only.ts',
    'renew-leases.ts',
    'run-row.ts',
    'schema.ts',
    'statement.ts',
    'status.ts',
    'update-run.ts',
    'wal.ts',
    'write-batches.ts',
  ],
  postgres: [
    'commit-values.ts',
    'decision-row.ts',
    'driver.ts',
    'durability.ts',
    'failure.ts',
    'faults.ts',
    'kept-clients.ts',
    'migrate.ts',
    'plain-commit.ts',
    'renew-leases.ts',
    'roles.ts',
    'row-security.ts',
    'run-row.ts',
    'schema.ts',
    'session.ts',
    'turn-reads.ts',
    'wake.ts',
    'wire-array.ts',
  ],
}

function conceptsOf(store: string): readonly string[] {
  const alone = ALONE[store] ?? []
  return productFiles(`${STORES}/${store}`)
    .map((path) => basename(path))
    .filter((name) => !alone.includes(name))
}

it('all stores have files of the same names', () => {
  const stores = existsSync(join(ROOT, STORES)) ? readdirSync(join(ROOT, STORES)) : []
  expect(stores).toContain('memory')
  const [first, ...others] = stores.map((store) => ({ store, concepts: conceptsOf(store) }))
  for (const other of others) expect(other.concepts, `${other.store} and ${first?.store}`).toEqual(first?.concepts)
})

it('files declared to be alone exist', () => {
  const missing = Object.entries(ALONE).flatMap(([store, names]) =>
    names.filter((name) => !existsSync(join(ROOT, STORES, store, name))),
  )
  expect(missing).toEqual([])
})
