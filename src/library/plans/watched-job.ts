/** One piece of a stranger's text, read in a thread of its own that is ended by time and by memory. */
import { Worker } from 'node:worker_threads'
import type { CompiledPlan } from '../../app/plans/compile.ts'
import type { ForeignText, ImportedPlan, ImportOptions } from '../../app/plans/import-plan.ts'
import type { ReadSource, SourceOptions } from '../../app/sources/read-source.ts'
import type { ReadOptions } from '../../core/plan/read/read-document.ts'
import type { Result } from '../../core/result.ts'

/** What is to be read: the text of a plan, a foreign workflow, or a text that may be either. */
export type Job =
  | { readonly text: string; readonly options: ReadOptions }
  | { readonly workflow: ForeignText; readonly how: ImportOptions }
  | { readonly source: string; readonly how: SourceOptions }

export type JobResult<J extends Job> = Result<
  J extends { readonly text: string }
    ? CompiledPlan
    : J extends { readonly workflow: ForeignText }
      ? ImportedPlan
      : ReadSource
>

export interface Bounds {
  readonly maxMs: number
  readonly maxMegabytes: number
}

export type Done<J extends Job> =
  | { readonly result: JobResult<J>; readonly ended?: undefined }
  | { readonly result?: undefined; readonly ended: 'time' | 'memory' }
  /** A fault of ours, and none of the text's. */
  | { readonly result?: undefined; readonly ended?: undefined; readonly fault: Error }

const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
export const THREAD = new URL(`./compile-thread.${EXTENSION}`, import.meta.url)
const YOUNG_PART = 8

export function watchJob<J extends Job>(job: J, { maxMs, maxMegabytes }: Bounds): Promise<Done<J>> {
  const { promise, resolve } = Promise.withResolvers<Done<J>>()
  const limits = { maxOldGenerationSizeMb: maxMegabytes, maxYoungGenerationSizeMb: maxMegabytes / YOUNG_PART }
  const worker = new Worker(THREAD, { workerData: job, resourceLimits: limits })
  const timer = setTimeout(() => resolve({ ended: 'time' }), maxMs)
  worker.on('message', (result: JobResult<J>) => resolve({ result }))
  worker.on('error', (thrown: Error & { readonly code?: string }) =>
    resolve(thrown.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { ended: 'memory' } : { fault: thrown }),
  )
  void promise.then(() => {
    clearTimeout(timer)
    return worker.terminate()
  })
  return promise
}
