/**
 * An open Keelson for a run somebody started before, with the step functions that went with it. Runs from one plan file
 * share an engine; names in two steps files may mean two things, and each plan has its folder.
 */
import type { Keelson } from '../../main.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { Options } from './command.ts'
import type { Doorbell } from './follow.ts'
import { outside } from './outside.ts'
import { openExisting } from './session.ts'
import { recallSource } from './sources.ts'
import { findStepsFile, loadSteps } from './steps-file.ts'

export class Keelsons {
  readonly #options: Options
  readonly #doorbell: Doorbell
  readonly #opened = new Map<string, Keelson>()

  constructor(options: Options, doorbell: Doorbell) {
    this.#options = options
    this.#doorbell = doorbell
  }

  async for(row: RunRow): Promise<Keelson> {
    const source = recallSource(this.#options.dir, row)
    const path = findStepsFile(this.#options.text('steps') ?? source?.steps, ['.'])
    const key = JSON.stringify([path, source])
    const known = this.#opened.get(key)
    if (known !== undefined) return known
    const { functions } = await loadSteps(path)
    const keelson = await openExisting(this.#options, {
      steps: functions,
      ...outside(this.#options, source),
      ...(path === undefined ? {} : { stepsModule: path }),
      onProgress: (runKey) => this.#doorbell.ring(runKey),
    })
    this.#opened.set(key, keelson)
    return keelson
  }

  async close(): Promise<void> {
    for (const keelson of this.#opened.values()) await keelson.close()
  }
}
