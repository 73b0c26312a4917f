/** Erasure (P-34): the values are removed, the records and their hashes stay, so the chain still verifies. */
import type { RunKey } from '../../../ports/run-store.ts'
import type { MemoryDisk } from './connect.ts'
import { eraseContext } from './context.ts'
import { eraseDecisions } from './decisions.ts'
import { eraseEvents } from './events.ts'
import { eraseErrors } from './feed.ts'
import { eraseAnswers } from './idempotency.ts'
import { eraseBodies } from './inbox.ts'
import { keyText } from './insert-events.ts'
import { runOf } from './read.ts'
import { eraseCheckpoints } from './checkpoints.ts'
import { forgetWork } from './work.ts'

export function eraseData(disk: MemoryDisk, runKey: RunKey, upToSeq: number): void {
  const run = runOf(disk, runKey)
  if (run === undefined) return
  for (const [index, event] of run.events.entries()) {
    if (event.runSeq > upToSeq) break
    const { data, salt, ...kept } = event
    const erased = Object.freeze(kept)
    run.events[index] = erased
    run.keys.set(keyText(erased.idempotencyKey), erased)
  }
  run.blobs.clear()
  run.labels = {}
  eraseContext(run, upToSeq)
  eraseEvents(disk, run, upToSeq)
  eraseBodies(run, upToSeq)
  eraseCheckpoints(run, upToSeq)
  eraseErrors(disk, runKey, upToSeq)
  eraseDecisions(disk, run.row)
  eraseAnswers(disk, run.row)
  forgetWork(disk, runKey)
}
