/** A run that its starter leaves at once: another process of this program starts it and drives it to its end. */
import { spawn } from 'node:child_process'
import { fail } from '../../../core/problems/problem.ts'
import type { RunHandle } from '../../../main.ts'
import { nextCommand } from '../terminal/next-command.ts'
import type { Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { shortId } from '../terminal/format.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** What it may do outside is kept with the run; addresses and keys go by the environment, which other users cannot read. */
export async function driveApart({ runId }: RunHandle, options: Options): Promise<void> {
  const program = process.argv[1] ?? ''
  const { store, keys } = options
  const isOff = options.isOff('commands')
  const child = spawn(process.execPath, [program, 'queue', 'start', runId, '--dir', options.dir], {
    detached: true,
    stdio: 'ignore',
    env: {
      ...process.env,
      ...(store === undefined ? {} : { KEELSON_STORE: store }),
      ...(keys === undefined ? {} : { KEELSON_KEYS_DIR: keys }),
      ...(isOff ? { KEELSON_COMMANDS: 'off' } : {}),
    },
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  child.unref()
}

export function tellDetached(
  { runId, row }: Pick<RunHandle, 'runId' | 'row'>,
  options: Options,
  terminal: Terminal,
): number {
  if (options.json) terminal.json({ result: { runId, status: row.status, detached: true } })
  else {
    const { bold } = terminal.paint
    const id = shortId(runId)
    terminal.line(`${bold(row.planId)} ${row.planVersion}   run ${bold(id)} goes on without this command`)
    nextCommand(terminal, 'look at', `keelson show ${id}`)
    nextCommand(terminal, 'follow', `keelson events ${id} --follow`)
    nextCommand(terminal, 'give up', `keelson cancel ${id}`)
  }
  return EXIT.detached
}

export function checkDetached(options: Options): void {
  if (!options.flag('detach')) return
  for (const name of ['queue', 'needsApproval', 'notBefore'])
    if (options.flag(name) || options.text(name) !== undefined)
      fail('USAGE', '--detach starts the run now: it does not go with --queue, --needs-approval or --not-before')
  if (options.text('engine') === 'mock') fail('USAGE', '--detach is for runs that take time; mock takes none')
}
