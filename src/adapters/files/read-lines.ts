/** The lines of a text file, split at line feeds and nowhere else: JSON text may hold other characters that end a line. */
import { createReadStream } from 'node:fs'

export async function* readLines(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, 'utf8')) {
    const parts = (rest + String(chunk)).split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
  if (rest !== '') yield rest
}
