/**
 * The two threads behind compile-apart.ts. One does the work. The other watches it for whoever waits without turning the loop,
 * and so could not: it starts the first, ends it when its time is up, and tells when it has ended for want of memory.
 */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { compilePlan } from '../../app/plans/compile.ts'
import { importPlan } from '../../app/plans/import-plan.ts'
import { readSource } from '../../app/sources/read-source.ts'
import { watchJob, type Bounds, type Done, type Job, type JobResult } from './watched-job.ts'

export interface WatchedTask extends Bounds {
  readonly job: Job
  /** Set and told when there is an answer. */
  readonly done: Int32Array
  readonly port: MessagePort
}

const given = workerData as WatchedTask | Job

async function watch({ job, done, port, ...bounds }: WatchedTask): Promise<void> {
  const answer: Done<Job> = await watchJob(job, bounds)
  port.postMessage(answer)
  Atomics.store(done, 0, 1)
  Atomics.notify(done, 0)
}

function doJob(job: Job): JobResult<Job> {
  if ('source' in job) return readSource(job.source, job.how)
  return 'text' in job ? compilePlan(job.text, job.options) : importPlan(job.workflow, job.how)
}

if ('port' in given) void watch(given)
else parentPort?.postMessage(doJob(given), [])
