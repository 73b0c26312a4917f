/**
 * The group roles of a database (docs/guides/operations.md#roles): an owner that nobody logs in as, a runner, a runner
 * for each tenant that wants its own, and an archivist. Created all or none; doing it again changes nothing.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fail } from '../../../core/problems/problem.ts'
import { text } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session, Sessions, Transaction } from './session.ts'

export interface RolesAsked {
  /** Runners of this tenant see and write only its rows; without a tenant they serve all tenants. */
  readonly tenantId?: string
  /** Logins that become members, such as the one the service connects as. */
  readonly runners?: readonly string[]
  readonly archivists?: readonly string[]
}

export interface RolesMade {
  readonly owner: string
  readonly runner: string
  readonly archivist: string
  readonly tenantId?: string
  readonly granted: readonly { readonly login: string; readonly role: string }[]
}

const [OWNER, RUNNER, BOUND, ARCHIVIST] = [
  'keelson_owner',
  'keelson_runner',
  'keelson_tenant_runner',
  'keelson_archivist',
] as const
const GROUPS = [OWNER, RUNNER, BOUND, ARCHIVIST]

const WHO = 'SELECT current_user::text AS name, current_database()::text AS db'
const IS_THERE = 'SELECT 1 FROM pg_roles WHERE rolname = $1'
const IS_MEMBER = `SELECT pg_has_role($1::text, 'MEMBER') AS member`
const SEES_ALL = `SELECT pg_has_role($1::text, '${RUNNER}', 'MEMBER') AS member`
const HAS_RIGHTS = `SELECT EXISTS (SELECT 1 FROM pg_roles r JOIN pg_namespace n ON n.nspname = 'keelson'
  WHERE r.rolname = '${BOUND}' AND has_schema_privilege(r.oid, n.oid, 'USAGE')) AS had`
/** Everything that was created by the login that migrated first. */
const OWNED = `SELECT format('ALTER SCHEMA keelson OWNER TO ${OWNER}') AS sql
  UNION ALL SELECT format('ALTER TABLE keelson.%I OWNER TO ${OWNER}', tablename) FROM pg_tables WHERE schemaname = 'keelson'
  UNION ALL SELECT format('ALTER ROUTINE %s OWNER TO ${OWNER}', p.oid::regprocedure) FROM pg_proc p
    WHERE p.pronamespace = 'keelson'::regnamespace`
const BIND = `INSERT INTO keelson.tenant_roles (role_name, tenant_id) VALUES ($1, $2)
  ON CONFLICT (role_name) DO UPDATE SET tenant_id = tenant_roles.tenant_id RETURNING tenant_id`

const PLAIN = /^[a-z0-9_]{1,40}$/
/** The name of the role of this tenant: the tenant's name where PostgreSQL can spell it, else its hash. */
function tenantRole(tenantId: string): string {
  if (PLAIN.test(tenantId)) return `${RUNNER}_${tenantId}`
  return `${RUNNER}_${createHash('sha256').update(tenantId).digest('hex').slice(0, 46)}`
}

export async function initRoles(connection: Sessions, asked: RolesAsked): Promise<RolesMade> {
  const { tenantId, runners = [], archivists = [] } = asked
  const bound = tenantId === undefined ? undefined : tenantRole(requireTenant(tenantId))
  const granted = [
    ...runners.map((login) => ({ login, role: bound ?? RUNNER })),
    ...archivists.map((login) => ({ login, role: ARCHIVIST })),
  ]
  await connection.transaction(async (transaction) => {
    for (const role of GROUPS) await makeRole(transaction, role)
    if (bound !== undefined) await makeRole(transaction, bound)
    await handOver(transaction)
    await applyRights(transaction)
    if (bound !== undefined) await bind(transaction, bound, tenantId ?? '')
    for (const { login, role } of granted) await admit(transaction, login, role, tenantId)
  })
  const made = { owner: OWNER, runner: bound ?? RUNNER, archivist: ARCHIVIST, granted }
  return tenantId === undefined ? made : { ...made, tenantId }
}

async function makeRole(transaction: Transaction, role: string): Promise<void> {
  if ((await transaction.query(IS_THERE, [role])).length > 0) return
  await may(transaction, `CREATE ROLE ${quoted(role)} NOLOGIN`, 'create roles')
}

/** Nobody logs in as the owner: what runs with its rights has no superuser's rights, and no person can lose them. */
async function handOver(transaction: Transaction): Promise<void> {
  const [me = {}] = await transaction.query(WHO)
  if ((await transaction.query(IS_MEMBER, [OWNER]))[0]?.['member'] !== true)
    await may(transaction, `GRANT ${OWNER} TO ${quoted(text(me, 'name'))}`, `join ${OWNER}`)
  await may(transaction, `GRANT CREATE ON DATABASE ${quoted(text(me, 'db'))} TO ${OWNER}`, 'hand over the database')
  for (const row of await transaction.query(OWNED)) await may(transaction, text(row, 'sql'), 'hand over its tables')
}

/** Once rights were granted here, every migration grants them again: new tables and functions have none at first. */
export async function renewRights(transaction: Transaction): Promise<void> {
  if ((await transaction.query(HAS_RIGHTS))[0]?.['had'] === true) await applyRights(transaction)
}

async function applyRights(transaction: Transaction): Promise<void> {
  await transaction.script(readFileSync(new URL('./sql/rights.sql', import.meta.url), 'utf8'))
}

async function bind(transaction: Transaction, role: string, tenantId: string): Promise<void> {
  await may(transaction, `GRANT ${BOUND} TO ${quoted(role)}`, `give out ${BOUND}`)
  const [row = {}] = await transaction.query(BIND, [role, tenantId])
  const bound = text(row, 'tenant_id')
  if (bound !== tenantId) fail('STORE_ROLE_TAKEN', `The role ${role} is already bound to the tenant '${bound}'.`)
}

async function admit(
  transaction: Transaction,
  login: string,
  role: string,
  tenantId: string | undefined,
): Promise<void> {
  if ((await transaction.query(IS_THERE, [login])).length === 0)
    fail('STORE_ROLE_UNKNOWN', `There is no login ${login} on this server.`, {
      hint: `make it first: CREATE ROLE ${quoted(login)} LOGIN PASSWORD '…'`,
    })
  await may(transaction, `GRANT ${quoted(role)} TO ${quoted(login)}`, `give out ${role}`)
  if (tenantId === undefined || role === ARCHIVIST) return
  if ((await transaction.query(SEES_ALL, [login]))[0]?.['member'] === true)
    fail('STORE_ROLE_TAKEN', `The login ${login} sees all tenants, as a member of ${RUNNER}.`, {
      hint: `take it out first: REVOKE ${RUNNER} FROM ${quoted(login)}`,
    })
}

/** One statement of an administrator; another caller is told what to ask for. */
async function may(transaction: Transaction, sql: string, what: string): Promise<void> {
  try {
    await transaction.script(sql)
  } catch (error) {
    if ((error as { readonly code?: string }).code !== '42501') throw error
    const said = error instanceof Error ? error.message : ''
    fail('STORE_ROLES_DENIED', `This login may not ${what} (${said}).`, {
      hint: `an administrator can: connect as one, or have it run: ${sql}`,
    })
  }
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Whether the connection could disable what protects the log: as owner of the tables, or as a superuser. */
export interface Standing {
  readonly login: string
  readonly isOwner: boolean
  /** Undefined for a role that serves all tenants. */
  readonly tenants?: readonly string[]
}

const STANDING = `SELECT current_user::text AS login,
    EXISTS (SELECT 1 FROM pg_roles r WHERE r.rolname = current_user AND (r.rolsuper OR r.rolbypassrls))
      OR pg_has_role((SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = 'keelson'), 'MEMBER') AS owner,
    row_security_active('keelson.runs') AND NOT EXISTS (SELECT 1 FROM pg_roles r
      WHERE r.rolname IN ('${RUNNER}', '${ARCHIVIST}') AND pg_has_role(r.oid, 'USAGE')) AS bound`
const TENANTS = 'SELECT o AS tenant FROM keelson.own_tenants() AS o ORDER BY o COLLATE "C"'

export async function standing(session: Session): Promise<Standing> {
  const [row = {}] = await session.query(STANDING)
  const found = { login: text(row, 'login'), isOwner: row['owner'] === true }
  if (row['bound'] !== true) return found
  return { ...found, tenants: (await session.query(TENANTS)).map((one) => text(one, 'tenant')) }
}

/** Prefix of subscriber names: `audit` of a role bound to a tenant is not the `audit` of others. */
export async function subscriberScope(session: Session): Promise<string> {
  const [tenantId] = (await standing(session)).tenants ?? []
  return tenantId === undefined ? '' : `tenant:${[...tenantId].length}:${tenantId}/`
}
