/** The lines of a text file, split at line feeds only: JSON text may hold other characters that end a line. */
import { createReadStream } from 'node:fs'
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import { openToRead } from './private-file.ts'

const LINE_FEED = 10

/**
 * A file that the user named. Bytes that are not UTF-8, and lines above the limit, are BUNDLE_BROKEN: nothing is
 * replaced, and memory stays bounded.
 */
export function readLines(path: string): AsyncGenerator<string> {
  return linesOf(createReadStream(path), decoded)
}

/**
 * A file of the state folder. Bytes that are not UTF-8 are replaced: readers skip lines that they do not understand.
 */
export async function* readStateLines(path: string): AsyncGenerator<string> {
  const file = await openToRead(path)
  yield* linesOf(file.createReadStream(), (bytes) => new TextDecoder().decode(bytes))
}

async function* linesOf(
  chunks: AsyncIterable<unknown>,
  decode: (bytes: Uint8Array, line: number) => string,
): AsyncGenerator<string> {
  let number = 1
  let parts: Uint8Array[] = []
  let size = 0
  const whole = (): string => decode(Buffer.concat(parts), number)
  for await (const chunk of chunks) {
    let rest = chunk as Buffer
    for (let at = rest.indexOf(LINE_FEED); at >= 0; at = rest.indexOf(LINE_FEED)) {
      parts.push(rest.subarray(0, at))
      yield whole()
      number += 1
      parts = []
      size = 0
      rest = rest.subarray(at + 1)
    }
    size += rest.length
    if (size > LIMITS.bundleLineBytes)
      fail('BUNDLE_BROKEN', `line ${number}: it is longer than ${LIMITS.bundleLineBytes} bytes`)
    if (rest.length > 0) parts.push(rest)
  }
  if (size > 0) yield whole()
}

function decoded(bytes: Uint8Array, line: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return fail('BUNDLE_BROKEN', `line ${line}: it is not UTF-8`)
  }
}
