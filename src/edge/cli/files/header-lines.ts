/** What stands above the picture of a run: its plan, its id, its engine and where it is stored. */
import type { ReadableRun } from '../../../library/read/readable-runs.ts'
import { placeName, type Place } from './place.ts'
import { flow, widthOf } from '../terminal/flow.ts'
import { shortId } from '../terminal/format.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** One line; on a narrow terminal as many as it takes. */
export function headerLines(terminal: Terminal, { row }: ReadableRun, place: Place): readonly string[] {
  const { bold, dim } = terminal.paint
  const parts = [
    { text: `${row.planId} ${row.planVersion}`, paint: (text: string) => text.replace(row.planId, bold(row.planId)) },
    { text: `run ${shortId(row.runId)}`, paint: (text: string) => `run ${bold(text.slice(4))}` },
    { text: `${row.engineType}, ${placeName(place)}`, paint: dim },
  ]
  return flow(parts, widthOf(terminal))
}
