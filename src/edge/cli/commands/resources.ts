/** `keelson resources`: what runs share, how much of it is in use and who waits; also declares it. */
import { timeOption } from '../terminal/time-option.ts'
import { fail } from '../../../core/problems/problem.ts'
import { agentDefinition } from '../../../app/grants/agent-pools.ts'
import type { PoolDefinition, PoolState } from '../../../ports/grants.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { duration, plural } from '../terminal/format.ts'
import { printTable } from '../terminal/table.ts'
import { msFromIso } from '../../../core/time.ts'
import { serverUrl } from '../files/place.ts'
import { openExisting, openOrCreate } from '../open/session.ts'
import { needServer } from '../remote/server-client.ts'
import { servicesOf } from '../../../library/services-of.ts'

export async function resources({ options, terminal }: Call): Promise<number> {
  const pools = serverUrl(options) === undefined ? await poolsHere(options) : await poolsAfar(options)
  if (options.json) for (const pool of pools) terminal.json(pool)
  else if (pools.length === 0) terminal.line('no agents or resources are declared here')
  else printTable(terminal, ['NAME', 'IN USE', 'OF', 'WAITING', ''], pools.map(poolCells))
  return EXIT.completed
}

type Pool = Omit<PoolState, 'breaker'>

async function poolsHere(options: Options): Promise<readonly Pool[]> {
  const keelson = await openExisting(options)
  try {
    return await servicesOf(keelson).store.listPools()
  } finally {
    await keelson.close()
  }
}

/** Also those that only runs of the caller's tenant use, with who holds and who waits. */
async function poolsAfar(options: Options): Promise<readonly Pool[]> {
  const { resources: found } = await (await needServer(options)).call('listResources')
  return found.map(({ openUntil, ...pool }) => {
    const until = openUntil === undefined ? undefined : msFromIso(openUntil)
    return { ...pool, ...(until === undefined ? {} : { openUntil: until }) }
  })
}

export async function setResource({ args, options, terminal }: Call): Promise<number> {
  const per = options.text('per')
  const periodMs = per === undefined ? undefined : timeOption('--per', per, { bareMs: true })
  const definition = definitionOf(args[0] ?? '', options.whole('capacity'), periodMs)
  const keelson = await openOrCreate(options)
  try {
    await servicesOf(keelson).store.putPool(definition)
    const { pool, capacity, windowMs } = definition
    if (options.json) terminal.json(definition)
    else
      terminal.line(
        `${pool}: ${plural(capacity, 'unit')}${windowMs === undefined ? '' : ` every ${duration(windowMs)}`}`,
      )
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}

const NAME = /^(agent:|resource:)?[A-Za-z0-9_.-]{1,128}$/

function definitionOf(name: string, capacity: number | undefined, per: number | undefined): PoolDefinition {
  if (!NAME.test(name)) fail('USAGE', `'${name}' is neither the name of a resource nor agent:<id>`)
  if (capacity === undefined) return fail('USAGE', '--capacity is missing: how many units are there?')
  if (per === 0) fail('USAGE', '--per takes milliseconds above 0')
  if (name.startsWith('agent:') && per === undefined) return agentDefinition(name.slice('agent:'.length), capacity)
  const pool = name.includes(':') ? name : `resource:${name}`
  return { pool, capacity, ...(per === undefined ? {} : { windowMs: per }) }
}

function poolCells({ pool, used, capacity, waiting, windowMs, openUntil }: Pool): readonly string[] {
  const open =
    openUntil === undefined || openUntil <= Date.now() ? '' : `open for ${duration(openUntil - Date.now())} more`
  return [
    pool,
    String(used),
    windowMs === undefined ? String(capacity) : `${capacity} per ${duration(windowMs)}`,
    String(waiting),
    open,
  ]
}
