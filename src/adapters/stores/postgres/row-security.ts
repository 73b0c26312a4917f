/**
 * The rows that each login may see, compared with what `store init --roles` sets up: reports disabled row security, and
 * a policy that is missing, foreign or too wide. A store without those roles has no policies.
 */
import type { StoreFault } from '../../../ports/evidence.ts'
import { text, type Columns } from './run-row.ts'
import type { Session } from './session.ts'

/** Roles belong to the whole server: only their right to this schema shows that this store uses them. */
const HAS_ROLES = `SELECT coalesce((SELECT has_schema_privilege(oid, 'keelson', 'USAGE') FROM pg_roles
  WHERE rolname = 'keelson_runner'), false) OR EXISTS (SELECT 1 FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
  WHERE c.relnamespace = 'keelson'::regnamespace) AS has`
const TABLES = `SELECT c.relname AS name, c.relrowsecurity AS secured, bool_or(a.attname = 'tenant_id') AS tenant,
    bool_or(a.attname = 'run_key') AS run, bool_or(a.attname = 'subscriber') AS subscriber
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = 'keelson'::regnamespace AND c.relkind = 'r' AND c.relname NOT IN ('migrations', 'feed_generation')
  GROUP BY c.relname, c.relrowsecurity`
const POLICIES = `SELECT c.relname AS table, p.polname AS name, p.polcmd AS command, p.polpermissive AS permissive,
    (SELECT string_agg(r.rolname, ',' ORDER BY r.rolname) FROM pg_roles r WHERE r.oid = ANY (p.polroles)) AS roles,
    0 = ANY (p.polroles) AS everybody, pg_get_expr(p.polqual, p.polrelid) AS seen,
    pg_get_expr(p.polwithcheck, p.polrelid) AS written
  FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE c.relnamespace = 'keelson'::regnamespace`

interface Policy {
  readonly command: string
  readonly roles: string
  /** Without blanks and parentheses, which a server may rearrange. */
  readonly seen: string
  readonly written: string
}

export async function rowSecurityFaults(session: Session): Promise<readonly StoreFault[]> {
  const [asked] = await session.query(HAS_ROLES)
  if (asked?.['has'] !== true) return []
  const tables = await session.query(TABLES)
  const expected = new Map(tables.flatMap(policiesOf))
  const faults = tables
    .filter((row) => row['secured'] !== true)
    .map((row) => fault(`table ${text(row, 'name')}`, 'has its row security switched off'))
  const found = new Set<string>()
  for (const row of await session.query(POLICIES)) {
    const key = `${text(row, 'name')} on ${text(row, 'table')}`
    found.add(key)
    const ours = expected.get(key)
    if (ours === undefined) faults.push(fault(`policy ${key}`, "is not Keelson's"))
    else if (!isSame(ours, row)) faults.push(fault(`policy ${key}`, 'was altered'))
  }
  const missing = [...expected.keys()].filter((key) => !found.has(key))
  return [...faults, ...missing.map((key) => fault(`policy ${key}`, 'is missing'))]
}

function fault(where: string, what: string): StoreFault {
  return { kind: 'schema', where, what }
}

function isSame(ours: Policy, row: Columns): boolean {
  const bare = (name: string): string => String(row[name] ?? '').replaceAll(/[\s()]/g, '')
  return (
    row['permissive'] === true &&
    row['everybody'] !== true &&
    ours.command === row['command'] &&
    ours.roles === row['roles'] &&
    ours.seen === bare('seen') &&
    ours.written === bare('written')
  )
}

const MINE = 'tenant_id=ANYARRAYSELECTkeelson.own_tenantsASown_tenants'
const POOL = "strpospool,'@'::text>0ANDsubstrpool,strpospool,'@'::text+1=ANYARRAYSELECTkeelson.own_tenantsASown_tenants"

/** As sql/rights.sql creates them. */
function policiesOf(row: Columns): readonly (readonly [string, Policy])[] {
  const table = text(row, 'name')
  const written = ownRows(table, row)
  const more = { scope_pauses: "ORtenant_id=''::text", pools: "ORstrpospool,'@'::text=0" }[table]
  const tenant = { roles: 'keelson_tenant_runner', seen: written, written }
  const wide = { ...tenant, seen: `${written}${more ?? ''}` }
  const policies: readonly (readonly [string, Policy])[] = [
    ['all_tenants', { command: '*', roles: 'keelson_archivist,keelson_runner', seen: 'true', written: '' }],
    ['own_tenant', { command: '*', ...tenant }],
    ...(more === undefined ? [] : [['own_tenant_sees', { command: 'r', ...wide, written: '' }] as const]),
    ...(table === 'pools' ? [['own_tenant_counts', { command: 'w', ...wide, written: wide.seen }] as const] : []),
  ]
  return policies.map(([name, policy]) => [`${name} on ${table}`, policy])
}

function ownRows(table: string, { tenant, run, subscriber }: Columns): string {
  const ofRun = `EXISTSSELECT1FROMkeelson.runsrWHEREr.run_key=${table}.run_key`
  const named = `EXISTSSELECT1FROMkeelson.own_tenantsooWHEREstarts_with${table}.subscriber,keelson.subscriber_scopeo.o`
  if (table === 'grant_wait_pools') return 'EXISTSSELECT1FROMkeelson.grant_waitswWHEREw.place=grant_wait_pools.place'
  if (table === 'pools') return POOL
  if (table === 'feed_subscribers') return named
  if (subscriber === true) return `${named}AND${ofRun}`
  if (table === 'tenant_roles')
    return "pg_has_roleSELECTr.oidFROMpg_rolesrWHEREr.rolname=tenant_roles.role_name,'USAGE'::text"
  if (tenant === true) return MINE
  return run === true ? ofRun : 'false'
}
