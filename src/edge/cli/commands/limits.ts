/** `keelson limits`: limits for starts of a tenant, shown, set and taken away, in the store or by asking its server. */
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import { onBehalf } from '../../../library/behalf/on-behalf.ts'
import type { LimitOptions, RunLimits } from '../../../library/act/run-limits.ts'
import type { RunLimit, WhenFull } from '../../../ports/admission.ts'
import { serverUrl } from '../files/place.ts'
import { openOrCreate } from '../open/session.ts'
import { needServer } from '../remote/server-client.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { printTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** With its instant as text, as a server gives it. */
type ShownLimit = Omit<RunLimit, 'tenantId' | 'setAt' | 'whenFull'> & {
  readonly whenFull: string
  readonly setAt: string
}

export async function limits({ options, terminal }: Call): Promise<number> {
  const found = isAfar(options)
    ? (await (await needServer(options)).call('listLimits')).limits
    : await here(options, async (own) => (await own.list()).map(shown))
  if (!options.json && found.length === 0) terminal.line('nothing limits starts')
  else tell(found, options, terminal)
  return EXIT.completed
}

export async function setLimit({ args, options, terminal }: Call): Promise<number> {
  const { name, ...body } = askedLimit(args[0] ?? '', options)
  const limit = isAfar(options)
    ? await (await needServer(options)).call('setLimit', { params: { limitName: name }, body })
    : await here(options, async (own) => shown(await own.set({ name, ...body })))
  tell([limit], options, terminal)
  return EXIT.completed
}

export async function removeLimit({ args: [name = ''], options, terminal }: Call): Promise<number> {
  if (isAfar(options)) await (await needServer(options)).call('removeLimit', { params: { limitName: name } })
  else await here(options, (own) => own.remove(name))
  if (options.json) terminal.json({ name, removed: 'yes' })
  else terminal.line(`the limit '${name}' is gone: what waits for it starts`)
  return EXIT.completed
}

const isAfar = (options: Options): boolean => serverUrl(options) !== undefined

async function here<T>(options: Options, work: (limits: RunLimits) => Promise<T>): Promise<T> {
  const keelson = await openOrCreate(options)
  try {
    const { tenantId, actorId } = LOCAL_PRINCIPAL
    const who = { tenantId: options.text('tenant') ?? tenantId, actorId: options.text('as') ?? actorId }
    return await work(onBehalf(keelson, { ...LOCAL_PRINCIPAL, ...who }).limits)
  } finally {
    await keelson.close()
  }
}

function askedLimit(name: string, options: Options): LimitOptions {
  const [maxRunning, ratePerMinute] = [options.whole('maxRunning'), options.whole('ratePerMinute')]
  const maxConcurrentSteps = options.whole('maxConcurrentSteps')
  const [whenFull, priority] = [options.text('whenFull'), options.text('priority')]
  const order = priority === undefined ? undefined : Number(priority)
  if (Number.isNaN(order)) fail('USAGE', `--priority takes a number, not '${priority ?? ''}'`)
  return {
    name,
    ...(maxRunning === undefined ? {} : { maxRunning }),
    ...(ratePerMinute === undefined ? {} : { ratePerMinute }),
    ...(maxConcurrentSteps === undefined ? {} : { maxConcurrentSteps }),
    ...(whenFull === undefined ? {} : { whenFull: whenFull.toUpperCase().replaceAll('-', '_') as WhenFull }),
    ...(order === undefined ? {} : { priority: order }),
  }
}

function shown({ tenantId: _own, setAt, ...limit }: RunLimit): ShownLimit {
  return { ...limit, setAt: isoFromMs(setAt) }
}

const HEAD = ['LIMIT', 'AT ONCE', 'A MINUTE', 'STEPS', 'WHEN FULL', 'PRIORITY', 'SET BY', 'SET AT']

function tell(found: readonly ShownLimit[], options: Options, terminal: Terminal): void {
  if (options.json) for (const limit of found) terminal.json(limit)
  else printTable(terminal, HEAD, found.map(cells))
}

function cells(limit: ShownLimit): readonly string[] {
  const { name, maxRunning, ratePerMinute, maxConcurrentSteps, whenFull, priority, setBy, setAt } = limit
  const counts = [maxRunning, ratePerMinute, maxConcurrentSteps].map((count) => String(count ?? '-'))
  return [name, ...counts, whenFull, String(priority), setBy, setAt]
}
