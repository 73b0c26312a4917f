/** The variables of a run as of a seq, whether their rows hold them or name them (P-16). */
import { rowBlob } from './offload-value.ts'
import { contextVariables, type ContextChange, type ContextVariables } from './run-context.ts'
import { blobText, erased, type ValueStore } from './read-results.ts'
import { logOf, type ValuedRun } from './run-outputs.ts'

export async function readVariables(
  store: ValueStore,
  run: ValuedRun,
  seq: number,
  pending?: readonly ContextChange[],
): Promise<ContextVariables> {
  const log = logOf(store, run)
  if (log.erased) erased(`the context of run ${run.identity.runId}`)
  const rows = await store.readContext(log.runKey, seq)
  let texts = rows
  for (const [variable, text] of rows) {
    const sha256 = rowBlob(text)
    if (sha256 === undefined) continue
    texts = new Map(texts).set(variable, await blobText(log, sha256))
  }
  return contextVariables(run.plan.plan.context, texts, pending)
}
