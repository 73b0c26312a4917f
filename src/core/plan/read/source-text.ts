/** What a plan was made of, as a store keeps it beside a publication: JSON, or nothing. */
import { readJsonText } from '../../json/read-json-text.ts'
import type { PlanSource } from '../../run/input.ts'

export function writtenSource(source: PlanSource | undefined): string | null {
  return source === undefined ? null : JSON.stringify(source)
}

/** What does not have its form is none: whoever can write to the store may have altered it, and no run depends on it. */
export function keptSource(written: unknown): PlanSource | undefined {
  if (typeof written !== 'string') return undefined
  const told = readJsonText(written)
  if (!told.ok || typeof told.value !== 'object' || told.value === null) return undefined
  const { sha256, sizeBytes, from, uri } = told.value as { readonly [field: string]: unknown }
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return undefined
  if (typeof sizeBytes !== 'number' || !Number.isSafeInteger(sizeBytes) || sizeBytes < 0) return undefined
  return {
    sha256,
    sizeBytes,
    ...(typeof from === 'string' ? { from } : {}),
    ...(typeof uri === 'string' ? { uri } : {}),
  } as PlanSource
}
