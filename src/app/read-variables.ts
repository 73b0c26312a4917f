/** The variables of a run as of a seq, whether their rows hold them or name them (P-16). */
import type { RunStore } from '../ports/run-store.ts'
import type { LoadedRun } from './load-run.ts'
import { rowBlob } from './offload-value.ts'
import { contextVariables, type ContextChange, type ContextVariables } from './run-context.ts'
import { blobText } from './run-outputs.ts'

export async function readVariables(
  store: RunStore,
  run: LoadedRun,
  seq: number,
  pending?: readonly ContextChange[],
): Promise<ContextVariables> {
  const { runKey } = run.row
  const rows = await store.readContext(runKey, seq)
  let texts = rows
  for (const [variable, text] of rows) {
    const sha256 = rowBlob(text)
    if (sha256 === undefined) continue
    texts = new Map(texts).set(variable, await blobText(store, runKey, sha256))
  }
  return contextVariables(run.plan.plan.context, texts, pending)
}
