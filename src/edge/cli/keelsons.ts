/**
 * An open Keelson for each run somebody started before, with the step functions that went with it. Runs from one plan file
 * share an engine; names in two steps files may mean two things, and each plan has its folder.
 */
import { KeelsonError } from '../../core/problems/problem.ts'
import type { Keelson } from '../../main.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { Wanted } from './adopt-when-free.ts'
import type { Options } from './command.ts'
import type { Doorbell } from './follow.ts'
import type { LeftOut } from './left-out.ts'
import { outside } from './outside.ts'
import { openExisting } from './session.ts'
import { recallSource, type Source } from './sources.ts'
import { findStepsFile, loadSteps, type StepsFile } from './steps-file.ts'

export class Keelsons {
  readonly #options: Options
  readonly #doorbell: Doorbell
  readonly #loading = new Map<string, Promise<StepsFile>>()
  readonly #opened = new Map<string, Keelson>()

  constructor(options: Options, doorbell: Doorbell) {
    this.#options = options
    this.#doorbell = doorbell
  }

  /**
   * Step functions first, all of them, before anything is opened. A file that cannot be loaded keeps its own runs waiting
   * and no others.
   */
  async open(
    rows: readonly RunRow[],
  ): Promise<{ readonly wanted: readonly Wanted[]; readonly left: readonly LeftOut[] }> {
    const left: LeftOut[] = []
    const loaded: { readonly row: RunRow; readonly steps: StepsFile; readonly source: Source | undefined }[] = []
    for (const row of rows) {
      const source = recallSource(this.#options.dir, row)
      try {
        loaded.push({ row, source, steps: await this.#load(source) })
      } catch (thrown) {
        // A file that was named for this command is its user's mistake, and nothing is driven with another.
        if (!(thrown instanceof KeelsonError) || this.#options.text('steps') !== undefined) throw thrown
        left.push({ row, error: thrown })
      }
    }
    const wanted: Wanted[] = []
    for (const { row, steps, source } of loaded) wanted.push({ row, keelson: await this.#openWith(steps, source) })
    return { wanted, left }
  }

  /** Each file once, also one that fails: it would fail again, and may take its time to. */
  #load(source: Source | undefined): Promise<StepsFile> {
    const named = this.#options.text('steps') ?? source?.steps
    const key = named ?? ''
    const known = this.#loading.get(key)
    if (known !== undefined) return known
    const loading = loadFound(named)
    this.#loading.set(key, loading)
    return loading
  }

  async #openWith({ path, functions }: StepsFile, source: Source | undefined): Promise<Keelson> {
    const key = JSON.stringify([path, source])
    const known = this.#opened.get(key)
    if (known !== undefined) return known
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

async function loadFound(named: string | undefined): Promise<StepsFile> {
  return loadSteps(findStepsFile(named, ['.']))
}
