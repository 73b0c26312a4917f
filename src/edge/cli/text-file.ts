/** Files that people write, read as the UTF-8 they must be: bytes that are not are refused where they stand, never replaced. */
import { readFileSync } from 'node:fs'
import { utf8Fault } from '../../core/json/utf8-fault.ts'
import { fail } from '../../core/problems/problem.ts'
import type { ProblemCode } from '../../core/problems/registry.ts'

const STANDARD_INPUT = 0

/** `code` is what bytes that are no UTF-8 are refused with. */
export function readText(path: string, code: ProblemCode): string {
  return decoded(readBytes(path), path, code)
}

export function readStandardInput(code: ProblemCode): string {
  return decoded(readFileSync(STANDARD_INPUT), 'standard input', code)
}

function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path)
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    const why =
      code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a folder' : `cannot be read (${code ?? 'unknown'})`
    return fail('FILE_NOT_FOUND', `${path} ${why}`)
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
