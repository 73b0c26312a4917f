/** The variables of a run as of a seq; a row holds the value or names its blob (P-16). */
import { rowBlob } from '../values/offload.ts'
import { contextVariables, type ContextChange, type ContextVariables } from '../values/run-context.ts'
import { blobText, erased, type ValueStore } from '../values/read-results.ts'
import { logOf, type ValuedRun } from './run-outputs.ts'

export async function readVariables(
  store: ValueStore,
  run: ValuedRun,
  seq: number,
  pending?: readonly ContextChange[],
): Promise<ContextVariables> {
  const log = logOf(store, run)
  if (log.erased) erased(`the context of run ${run.identity.runId}`)
  const rows = await run.values.variables(seq, () => store.readContext(log.runKey, seq))
  let texts = rows
  for (const [variable, text] of rows) {
    const sha256 = rowBlob(text)
    if (sha256 === undefined) continue
    texts = new Map(texts).set(variable, await blobText(log, sha256))
  }
  return contextVariables(run.plan.plan.context, texts, pending)
}
