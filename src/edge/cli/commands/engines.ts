/** `keelson engines`: the engines that runs can be on from here, or of a server: what each can do, and how many runs are on it. */
import { partsOf } from '../../../library/services-of.ts'
import { enginesOf, type ShownEngine } from '../../http/wire/engine-view.ts'
import { serverUrl } from '../files/place.ts'
import { reachable } from '../open/engine-choice.ts'
import { openExisting } from '../open/session.ts'
import { needServer } from '../remote/server-client.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { printTable } from '../terminal/table.ts'

export async function engines({ options, terminal }: Call): Promise<number> {
  const found = await foundEngines(options)
  if (options.json) for (const one of found) terminal.json(one)
  else printTable(terminal, ['ENGINE', 'STATE', 'RUNS IN FLIGHT', 'EFFECTS OF A RUN AT ONCE', 'CAN'], found.map(cells))
  return EXIT.completed
}

async function foundEngines(options: Options): Promise<readonly ShownEngine[]> {
  if (serverUrl(options) !== undefined) return (await (await needServer(options)).call('listEngines')).engines
  const keelson = await openExisting(options, { readOnly: 'if-needed', ...(await reachable(options)) })
  try {
    return await enginesOf(keelson, { ok: partsOf(keelson).engine.types.open.length > 0 }, 'each')
  } finally {
    await keelson.close()
  }
}

function cells({ engine, isStandard, drives, ready, why, ...rest }: ShownEngine): readonly string[] {
  const { runsInFlight, maxInFlight, capabilities } = rest
  const words = [
    ready ? 'ready' : (why ?? 'not ready'),
    ...(isStandard ? ['for new runs'] : []),
    ...(drives ? [] : ['driven elsewhere']),
  ]
  return [engine, words.join(', '), String(runsInFlight), String(maxInFlight), `${capabilities.length} capabilities`]
}
