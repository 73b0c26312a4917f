/** `keelson dev temporal`: Temporal's development server on this machine, until it is asked to stop. */
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { makeFolder } from '../files/make-folder.ts'

const PORT = 7233
const UI_OFFSET = 1_000

export async function devTemporal({ options, terminal }: Call): Promise<number> {
  const { findTemporal, startTemporalServer } = await import('../../../compose/temporal-engine.ts')
  const program = findTemporal({ tell: (line) => terminal.errorLine(line) })
  const port = options.whole('port') ?? PORT
  const uiPort = options.flag('headless') ? undefined : (options.whole('uiPort') ?? port + UI_OFFSET)
  if (!options.flag('inMemory')) makeFolder(options.dir, 0o700)
  const file = options.flag('inMemory') ? {} : { file: resolve(join(options.dir, 'temporal.db')) }
  const server = await startTemporalServer({ program, port, ...file, ...(uiPort === undefined ? {} : { uiPort }) })
  const { address, pid } = server
  if (options.json) terminal.json({ server: 'ready', address, pid, ...(uiPort === undefined ? {} : { uiPort }) })
  else {
    const { bold, cyan } = terminal.paint
    terminal.line(`Temporal is ready at ${bold(address)}`)
    if (uiPort !== undefined) terminal.line(`  look at    ${cyan(`http://127.0.0.1:${uiPort}`)}`)
    terminal.line(
      `  run        ${cyan(`keelson run plan.yaml --engine temporal${port === PORT ? '' : ` --address ${address}`}`)}`,
    )
    terminal.line('  stop       Ctrl-C')
  }
  const ended = await Promise.race([
    once(process, 'SIGINT').then(() => 'asked'),
    once(process, 'SIGTERM').then(() => 'asked'),
    server.gone.then(() => 'gone'),
  ])
  await server.stop()
  if (ended === 'asked') return EXIT.completed
  terminal.errorLine('the Temporal server ended by itself')
  return EXIT.failed
}
