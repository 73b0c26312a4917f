/**
 * Intents as lines of one file per process, `<folder>/<process>.jsonl`, synced before anything acts on them. The file
 * exists only while something in it waits for the store; what no longer fitted is reported in `dropped.jsonl`.
 */
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../core/problems/problem.ts'
import type { IntentBuffer, LeftIntents } from '../../ports/intents.ts'
import { makeFolder } from './make-folder.ts'
import { openToAdd } from './private-file.ts'
import { readStateLines } from './read-lines.ts'
import { syncFolder } from './sync-folder.ts'

const DROPPED = 'dropped.jsonl'
const INTENTS = /^[\w-]+\.jsonl(\.taken)?$/

export function fileIntentBuffer(folder: string, processId: string): IntentBuffer {
  const own = `${processId}.jsonl`
  let turn: Promise<unknown> = Promise.resolve()
  /** One after another: a file must not be removed while a line is being written to it. */
  const inTurn = <T>(action: () => Promise<T>): Promise<T> => {
    const done = turn.then(action)
    turn = done.catch(() => undefined)
    return done
  }
  return {
    append: (line) => inTurn(() => addLine(folder, own, line)),
    clear: () => inTurn(() => rm(join(folder, own), { force: true })),
    leftBehind: async () => {
      const names = (await namesIn(folder)).filter((name) => INTENTS.test(name) && name !== DROPPED && name !== own)
      return names.map((name) => leftIn(folder, name))
    },
    setAside: (line) => inTurn(() => addLine(folder, DROPPED, line)),
  }
}

async function addLine(folder: string, name: string, line: string): Promise<void> {
  try {
    await makeFolder(folder)
    const file = await openToAdd(join(folder, name))
    try {
      // Begins a new line, even if an earlier write was torn.
      await file.writeFile(`\n${line}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await syncFolder(folder)
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    fail('INTENT_BUFFER_FAILED', `an intent could not be kept in ${folder}: ${why}`)
  }
}

/** A reader renames the file first: a process that is still alive begins a new file and loses nothing. */
function leftIn(folder: string, name: string): LeftIntents {
  const place = join(folder, name)
  const taken = name.endsWith('.taken') ? place : `${place}.taken`
  let isOurs = true
  return {
    async *lines() {
      try {
        if (taken !== place) await rename(place, taken)
        for await (const line of readStateLines(taken)) if (line !== '') yield line
      } catch (thrown) {
        if (!isMissing(thrown)) throw thrown
        // Another process was faster and handles the file.
        isOurs = false
      }
    },
    remove: async () => (isOurs ? rm(taken, { force: true }) : undefined),
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (thrown) {
    if (isMissing(thrown)) return []
    throw thrown
  }
}

function isMissing(thrown: unknown): boolean {
  return (thrown as NodeJS.ErrnoException).code === 'ENOENT'
}
