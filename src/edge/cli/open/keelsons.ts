/**
 * An open Keelson for each earlier run, with its step functions. Runs from one plan file share an engine; a name may
 * mean different functions in two steps files, and each plan has its folder.
 */
import { KeelsonError } from '../../../core/problems/problem.ts'
import type { Keelson } from '../../../main.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { Wanted } from './adopt-when-free.ts'
import type { Options } from '../terminal/command.ts'
import type { Doorbell } from '../progress/follow.ts'
import type { LeftOut } from '../output/left-out.ts'
import { outside } from './outside.ts'
import { openExisting } from './session.ts'
import { recallSource, type Source } from '../files/sources.ts'
import { findStepsFile, loadSteps, NO_STEPS, type StepsFile } from '../files/steps-file.ts'
import { closedToCode } from './steps-of-run.ts'

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
   * Loads all step functions before anything is opened. A file that cannot be loaded delays its own runs and no others.
   */
  async open(
    rows: readonly RunRow[],
  ): Promise<{ readonly wanted: readonly Wanted[]; readonly left: readonly LeftOut[] }> {
    const left: LeftOut[] = []
    const closed = await closedToCode(rows, this.#options)
    const loaded: { readonly row: RunRow; readonly steps: StepsFile; readonly source: Source | undefined }[] = []
    for (const row of rows) {
      const source = recallSource(this.#options.dir, row)
      try {
        loaded.push({ row, source, steps: closed.has(row.runId) ? NO_STEPS : await this.#load(source) })
      } catch (thrown) {
        // If the user named the file for this command, it is their mistake, and no other file is used instead.
        if (!(thrown instanceof KeelsonError) || this.#options.text('steps') !== undefined) throw thrown
        left.push({ row, error: thrown })
      }
    }
    const wanted: Wanted[] = []
    for (const { row, steps, source } of loaded) wanted.push({ row, keelson: await this.#openWith(steps, source) })
    return { wanted, left }
  }

  /** Each file once, also one that fails: it would fail again, and may be slow. */
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
