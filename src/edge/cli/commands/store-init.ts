/**
 * `keelson store init`: creates the database, or its tables on a server; with `--roles` also the roles and their
 * rights.
 */
import { fail } from '../../../core/problems/problem.ts'
import { openServerStore } from '../../../compose/open-store.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { placeName, storeUrl } from '../files/place.ts'
import { openOrCreate } from '../open/session.ts'
import type { Terminal } from '../terminal/terminal.ts'

export async function storeInit({ options, terminal }: Call): Promise<number> {
  const url = storeUrl(options)
  if (options.flag('roles')) return initRoles(url, options, terminal)
  for (const name of ['tenant', 'runner', 'archivist'])
    if (options.text(name) !== undefined || options.list(name).length > 0)
      fail('USAGE', `--${name} says who gets which role: it needs --roles`)
  await (await openOrCreate(options)).close()
  if (options.json) terminal.json({ store: placeName(options) })
  else terminal.line(`${terminal.paint.green('✔')} ${terminal.paint.bold('ready')}   ${placeName(options)}`)
  return EXIT.completed
}

async function initRoles(url: string | undefined, options: Options, terminal: Terminal): Promise<number> {
  if (url === undefined)
    return fail('USAGE', 'roles are made on a PostgreSQL server: name it with --store or KEELSON_STORE')
  const tenantId = options.text('tenant')
  const store = await openServerStore(url, { mustExist: false })
  try {
    const made = await store.initRoles({
      ...(tenantId === undefined ? {} : { tenantId }),
      runners: options.list('runner'),
      archivists: options.list('archivist'),
    })
    if (options.json) {
      terminal.json({ store: placeName(options), ...made })
      return EXIT.completed
    }
    const { green, bold, cyan } = terminal.paint
    const serves =
      tenantId === undefined ? 'serves and works for all tenants' : `serves and works for ${tenantId} alone`
    terminal.line(`${green('✔')} ${bold('ready')}   ${placeName(options)}`)
    terminal.line(`  ${made.owner.padEnd(20)}   owns the tables; nobody logs in as it`)
    terminal.line(`  ${made.runner.padEnd(20)}   ${serves}; changes no event, blob or plan`)
    terminal.line(`  ${made.archivist.padEnd(20)}   archives whole ended runs`)
    for (const { login, role } of made.granted) terminal.line(`  ${bold(login)} is now a member of ${role}`)
    if (made.granted.length === 0)
      terminal.line(`  let a login join: ${cyan('keelson store init --roles --runner <login>')}`)
    return EXIT.completed
  } finally {
    await store.close()
  }
}
