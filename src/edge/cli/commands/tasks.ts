/** `keelson tasks`: manual tasks that wait for a person, with the command that completes each. */
import type { RunHandle } from '../../../main.ts'
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { allRuns, findRun } from '../find-run.ts'
import { oneLine, shortId, timeOfDay } from '../output/format.ts'
import { openExisting } from '../session.ts'

/** What a person reads in one line; all of it is told by --json. */
const TEXT_CHARS = 200

export async function tasks({ args, options, terminal }: Call): Promise<number> {
  const keelson = await openExisting(options)
  try {
    const handles: RunHandle[] = []
    if (args[0] !== undefined) handles.push(await findRun(keelson, args[0]))
    else
      for await (const row of allRuns(keelson, { status: ['RUNNING', 'PAUSED'] }))
        // A run that was set aside has no task that anybody could complete; `resume` names it.
        if (row.quarantine === undefined) handles.push(await keelson.run(row.runId))
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
          `${terminal.paint.bold(oneLine(task.title, TEXT_CHARS))}   ${handle.row.planId}, ${task.slot}, run ${shortId(task.runId)}, since ${timeOfDay(task.openedAt)}${expires}`,
        )
        if (task.instructions !== undefined) terminal.line(`  how       ${oneLine(task.instructions, TEXT_CHARS)}`)
        if (task.assignees !== undefined) terminal.line(`  asked     ${oneLine(task.assignees.join(', '), TEXT_CHARS)}`)
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
