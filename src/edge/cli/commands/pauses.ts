/** `keelson pauses`: pauses of a whole plan or tenant, shown, set and lifted, in the store or by asking its server. */
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import { onBehalf } from '../../../library/behalf/on-behalf.ts'
import { isoFromMs } from '../../../core/time.ts'
import type { ScopePause } from '../../../ports/scope-pauses.ts'
import type { ScopePauses } from '../../../library/act/scope-pauses.ts'
import { serverUrl } from '../files/place.ts'
import { reachable } from '../open/engine-choice.ts'
import { openExisting } from '../open/session.ts'
import { needServer } from '../remote/server-client.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { printTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

interface ShownPause {
  readonly scope: string
  readonly reason?: string | undefined
  readonly setBy?: string | undefined
  readonly setAt?: string | undefined
  readonly since?: string | undefined
}

export async function pauses({ options, terminal }: Call): Promise<number> {
  const found: readonly ShownPause[] = isAfar(options)
    ? (await (await needServer(options)).call('listPauses')).pauses
    : await here(options, async (own) => (await own.list()).map(asServed))
  if (options.json) for (const pause of found) terminal.json(shown(pause))
  else if (found.length === 0) terminal.line('nothing pauses runs as a whole')
  else tell(found, terminal)
  return EXIT.completed
}

export async function setPause({ args: [scope = ''], options, terminal }: Call): Promise<number> {
  const reason = options.text('reason')
  const given = reason === undefined ? {} : { reason }
  if (isAfar(options))
    await (await needServer(options)).call('setPause', { params: { pauseScope: scope }, body: given })
  else await here(options, (own) => own.set(scope, given))
  if (options.json) terminal.json({ scope, ...given })
  else
    terminal.line(
      `${scope} is paused: what runs goes on to its end, and nothing new begins until \`pauses lift ${scope}\``,
    )
  return EXIT.completed
}

export async function liftPause({ args: [scope = ''], options, terminal }: Call): Promise<number> {
  if (isAfar(options)) await (await needServer(options)).call('liftPause', { params: { pauseScope: scope } })
  else await here(options, (own) => own.lift(scope))
  if (options.json) terminal.json({ scope, lifted: 'yes' })
  else terminal.line(`the pause of ${scope} is lifted: what it paused goes on`)
  return EXIT.completed
}

const isAfar = (options: Options): boolean => serverUrl(options) !== undefined

/** With its instants as texts, as a server gives them. */
function asServed({ setAt, since, ...rest }: ScopePause): ShownPause {
  return {
    ...rest,
    ...(setAt === undefined ? {} : { setAt: isoFromMs(setAt) }),
    ...(since === undefined ? {} : { since: isoFromMs(since) }),
  }
}

function shown({ scope, reason, setBy, setAt, since }: ShownPause): object {
  const told = Object.entries({ reason, setBy, setAt, since }).filter(([, value]) => value !== undefined)
  return { scope, ...Object.fromEntries(told) }
}

function tell(found: readonly ShownPause[], terminal: Terminal): void {
  printTable(
    terminal,
    ['PAUSED', 'SINCE', 'BY', 'REASON'],
    found.map(({ scope, reason, setBy, since }) => [scope, since ?? '-', setBy ?? '-', reason ?? '-']),
  )
}

async function here<T>(options: Options, work: (pauses: ScopePauses) => Promise<T>): Promise<T> {
  const keelson = await openExisting(options, await reachable(options))
  try {
    const { tenantId } = LOCAL_PRINCIPAL
    return await work(onBehalf(keelson, { ...LOCAL_PRINCIPAL, tenantId: options.text('tenant') ?? tenantId }).pauses)
  } finally {
    await keelson.close()
  }
}
