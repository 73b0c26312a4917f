/** `keelson dev`: the server on a developer's machine. */
import type { Call } from '../terminal/command.ts'
import { serveFolder } from './serve.ts'

export async function dev(call: Call): Promise<number> {
  return serveFolder(call, true)
}
