/** The bytes of an artifact that the server keeps. It checks them against their hash while it sends them, and records who took them. */
import { getArtifact } from '../../../src/core/api/execution-log.ts'
import { respond } from '../../../src/client/ask.ts'
import { session } from '../server/session.ts'

export async function artifactBytes(executionId: string, artifactSha256: string): Promise<Blob> {
  const { connection } = session.get()
  const response = await respond(connection, getArtifact, { params: { executionId, artifactSha256 } })
  // Without a type of its own: nothing may open it as anything.
  return new Blob([await response.arrayBuffer()], { type: 'application/octet-stream' })
}

/** Handed to the person as a file; the browser does not open it. */
export function saveAs(bytes: Blob, name: string): void {
  const address = URL.createObjectURL(bytes)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS)
}

/** The browser reads it after the click. */
const KEPT_MS = 10_000
