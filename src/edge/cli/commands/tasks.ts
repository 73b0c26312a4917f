/** `keelson tasks`: manual tasks that wait for a person, with the command that completes each. */
import { isForeign } from '../../../core/engine/engine-type.ts'
import type { ReadableRun } from '../../../library/read/readable-runs.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { allRuns, findRun } from '../open/find-run.ts'
import { oneLine, shortId, timeOfDay } from '../terminal/format.ts'
import { changeText, refusedText, seenOf, sentText } from '../output/task-news.ts'
import { openToRead, takesActors } from '../open/reading.ts'

/** For one line; --json shows everything. */
const TEXT_CHARS = 200

export async function tasks({ args, options, terminal }: Call): Promise<number> {
  const keelson = await openToRead(options)
  try {
    const handles: ReadableRun[] = []
    if (args[0] !== undefined) handles.push(await findRun(keelson, args[0]))
    else
      for await (const row of allRuns(keelson, { status: ['RUNNING', 'PAUSED'] }))
        // Nobody can complete a task of a run that was set aside; `resume` names it.
        if (row.quarantine === undefined && !isForeign(row)) handles.push(await keelson.run(row.runId))
    const as = options.json || !(await takesActors(keelson)) ? '' : ' --as <user>'
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
        if (task.whoMay !== undefined) terminal.line(`  who may   ${oneLine(task.whoMay, TEXT_CHARS)}`)
        for (const one of task.refused ?? []) terminal.line(`  refused   ${refusedText(one)}`)
        for (const one of task.changed ?? []) terminal.line(`  changed   ${changeText(one)}`)
        if (task.sent !== undefined) terminal.line(`  sent      ${sentText(task.sent)}`)
        if (task.mayNot !== undefined) terminal.line(`  may not   ${oneLine(task.mayNot.why, TEXT_CHARS)}`)
        if (task.token !== undefined) terminal.line(`  token     ${task.token}`)
        const isSeen = task.changed !== undefined && task.token !== undefined
        const seen = isSeen ? ` --seen ${seenOf(task.token)}` : ''
        terminal.line(
          `  complete  ${terminal.paint.cyan(`keelson complete ${shortId(task.runId)} ${task.slot}${seen} --outcome Succeeded${as}`)}`,
        )
      }
    }
    if (count === 0 && !options.json) terminal.line('no open tasks')
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}
