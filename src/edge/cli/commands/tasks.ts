/** `keelson tasks`: manual tasks that wait for a person, with the command that completes each. */
import type { RunHandle } from '../../../main.ts'
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { allRuns, findRun } from '../find-run.ts'
import { shortId, timeOfDay } from '../output/format.ts'
import { openExisting } from '../session.ts'

export async function tasks({ args, options, terminal }: Call): Promise<number> {
  const keelson = await openExisting(options)
  try {
    const handles: RunHandle[] = []
    if (args[0] !== undefined) handles.push(await findRun(keelson, args[0]))
    else
      for await (const row of allRuns(keelson, { status: ['RUNNING', 'PAUSED'] }))
        handles.push(await keelson.run(row.runId))
    let count = 0
    for (const handle of handles) {
      for (const task of await handle.tasks()) {
        count += 1
        if (options.json) {
          terminal.json(task)
          continue
        }
        const expires = task.expiresAt === undefined ? '' : `, expires ${timeOfDay(task.expiresAt)}`
        terminal.line(
          `${terminal.paint.bold(task.title)}   ${handle.row.planId}, ${task.slot}, run ${shortId(task.runId)}, since ${timeOfDay(task.openedAt)}${expires}`,
        )
        terminal.line(`  token     ${task.token}`)
        terminal.line(
          `  complete  ${terminal.paint.cyan(`keelson complete ${shortId(task.runId)} ${task.slot} --outcome Succeeded --as <user>`)}`,
        )
      }
    }
    if (count === 0 && !options.json) terminal.line('no open tasks')
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}
