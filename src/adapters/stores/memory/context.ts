/** Captured variables of a run, versioned by seq (P-16): a read names the seq it wants to see. */
import type { ContextWrite } from '../../../ports/run-store.ts'
import type { MemoryRun } from './connect.ts'

export function writeContext(run: MemoryRun, write: ContextWrite): void {
  const { variable, seq, value } = write
  const others = (run.context.get(variable) ?? []).filter((version) => version.seq !== seq)
  const versions = [...others, Object.freeze({ variable, seq, value })].sort((a, b) => a.seq - b.seq)
  run.context.set(variable, versions)
}

export function readContext(run: MemoryRun | undefined, atSeq: number): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [variable, versions] of run?.context ?? []) {
    const latest = versions.findLast(({ seq }) => seq <= atSeq)
    if (latest !== undefined) values.set(variable, latest.value)
  }
  return values
}

export function eraseContext(run: MemoryRun, upToSeq: number): void {
  for (const [variable, versions] of run.context) {
    run.context.set(
      variable,
      versions.filter(({ seq }) => seq > upToSeq),
    )
  }
}
