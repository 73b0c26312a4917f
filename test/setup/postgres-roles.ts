/** Logins of the roles that `keelson store init --roles` makes, on a server of its own. */
import { Client } from 'pg'
import { openPostgresStore, type RolesAsked } from '../../src/adapters/stores/postgres/store.ts'

/** Makes the tables and roles as the superuser, and the logins that are named. */
export async function initRoles(url: string, asked: RolesAsked = {}): Promise<void> {
  for (const login of [...(asked.runners ?? []), ...(asked.archivists ?? [])])
    await asAdmin(url, `DO $$ BEGIN CREATE ROLE ${login} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`)
  const store = await openPostgresStore({ connectionString: url })
  try {
    await store.initRoles(asked)
  } finally {
    await store.close()
  }
}

export function urlOf(url: string, login: string): string {
  return url.replace('postgres@', `${login}@`)
}

export async function asAdmin(url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return withClient(url, async (client) => (await client.query<Record<string, unknown>>(sql)).rows)
}

export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
