/** `keelson workers`: remote workers that ask for steps, in the store or by asking its server. */
import { listWorkers, type KnownWorker } from '../../../app/work/list-workers.ts'
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import { isoFromMs } from '../../../core/time.ts'
import { serverUrl } from '../files/place.ts'
import { openToLook } from '../open/look.ts'
import { needServer } from '../remote/server-client.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { printTable } from '../terminal/table.ts'

/** With its instant as text, as a server gives it. */
type ShownWorker = Omit<KnownWorker, 'askedAt'> & { readonly askedAt: string }

export async function workers({ options, terminal }: Call): Promise<number> {
  const found = await foundWorkers(options)
  if (options.json) for (const one of found) terminal.json(one)
  else if (found.length === 0) terminal.line('no worker has asked for work')
  else printTable(terminal, ['WORKER', 'AS', 'QUEUES', 'FUNCTIONS', 'LAST ASKED', 'BUILD'], found.map(cells))
  return EXIT.completed
}

async function foundWorkers(options: Options): Promise<readonly ShownWorker[]> {
  if (serverUrl(options) !== undefined) return (await (await needServer(options)).call('listWorkers')).workers
  const store = await openToLook(options)
  try {
    const found = await listWorkers(store, options.text('tenant') ?? LOCAL_PRINCIPAL.tenantId)
    return found.map(({ askedAt, ...rest }) => ({ ...rest, askedAt: isoFromMs(askedAt) }))
  } finally {
    await store.close()
  }
}

function cells({ worker, actorId, queues, handlers, askedAt, build = '' }: ShownWorker): readonly string[] {
  return [worker, actorId, queues.join(' '), handlers.join(' '), askedAt, build]
}
