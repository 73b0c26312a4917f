/** Files that people write, read as strict UTF-8: other bytes are refused with their position, never replaced. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { sourceOf } from '../../../app/plans/plan-source.ts'
import { utf8Fault } from '../../../core/json/utf8-fault.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fail, KeelsonError } from '../../../core/problems/problem.ts'
import type { PlanSource } from '../../../core/run/input.ts'
import type { ProblemCode } from '../../../core/problems/registry.ts'

const STANDARD_INPUT = 0

/** `code` is the code of a refusal. A file without an end, such as a device, is read only up to the limit. */
export function readText(path: string, code: ProblemCode, most: FileLimit = ANY_FILE): string {
  return decoded(readBytes(path, most), path, code)
}

export interface PlanBytes {
  readonly text: string
  /** Of the bytes as they are in the file: also of those that the text no longer has. */
  readonly source: PlanSource
}

/** Hashed first, then read: bytes without the pinned hash are not even decoded. */
export function readPlanBytes(path: string, pinned?: string): PlanBytes {
  const bytes = readBytes(path, { bytes: LIMITS.planBytes, code: 'PLAN_TOO_LARGE' })
  const source = sourceOf(bytes)
  if (pinned !== undefined && pinned !== source.sha256)
    fail('PLAN_INTEGRITY_VALIDATION_FAILED', `${path} has the hash ${source.sha256}, not ${pinned}`, {
      details: { expectedSha256: pinned, actualSha256: source.sha256 },
    })
  return { text: decoded(bytes, path, 'PLAN_SYNTAX'), source }
}

interface FileLimit {
  readonly bytes: number
  readonly code: ProblemCode
}

const ANY_FILE: FileLimit = { bytes: LIMITS.textFileBytes, code: 'VALUE_TOO_LARGE' }

export function readStandardInput(code: ProblemCode): string {
  return decoded(readFileSync(STANDARD_INPUT), 'standard input', code)
}

export function readBytes(path: string, most: FileLimit): Uint8Array {
  try {
    const file = openSync(path, 'r')
    try {
      return readUpTo(file, path, most)
    } finally {
      closeSync(file)
    }
  } catch (thrown) {
    if (thrown instanceof KeelsonError) throw thrown
    const { code } = thrown as NodeJS.ErrnoException
    const why =
      code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a folder' : `cannot be read (${code ?? 'unknown'})`
    return fail('FILE_NOT_FOUND', `${path} ${why}`)
  }
}

const PART_BYTES = 64 * 1024

function readUpTo(file: number, path: string, { bytes, code }: FileLimit): Uint8Array {
  const parts: Uint8Array[] = []
  let size = 0
  for (;;) {
    const part = new Uint8Array(PART_BYTES)
    const read = readSync(file, part)
    if (read === 0) return Buffer.concat(parts, size)
    size += read
    if (size > bytes) fail(code, `${path} has more than ${bytes} bytes`)
    parts.push(part.subarray(0, read))
  }
}

function decoded(bytes: Uint8Array, file: string, code: ProblemCode): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const { message, line, column } = utf8Fault(bytes)
    return fail(code, message, { at: { file, line, column }, hint: 'save the file as UTF-8' })
  }
}
