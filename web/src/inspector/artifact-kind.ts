/**
 * What of an artifact may be shown in the page: a text, as text, or a picture of a few kinds. Its bytes decide, and not what it is called; a
 * picture that can hold a script (SVG) or names other files is shown as the text that it is.
 */
import type { ArtifactRef } from '../../../src/core/events/event.ts'

/** More is for a program of its own. */
export const MOST_BYTES = 1024 * 1024

/** How the files of each kind begin. */
const PICTURES: readonly (readonly [type: string, begins: readonly number[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
]

export function pictureType(bytes: Uint8Array): string | undefined {
  return PICTURES.find(([, begins]) => begins.every((byte, at) => bytes[at] === byte))?.[0]
}

/** Undefined: it is no text. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** Those that this server keeps; others only point elsewhere. */
export function isKeptHere({ uri, sha256 }: ArtifactRef): boolean {
  return sha256 !== undefined && uri.startsWith(`artifact:sha256:${sha256}`)
}

/** What its file is called. */
export function artifactName({ uri, sha256 }: ArtifactRef): string {
  const named = /\?name=([\w.%-]{1,300})$/.exec(uri)?.[1]
  try {
    return named === undefined ? (sha256 ?? uri) : decodeURIComponent(named)
  } catch {
    return sha256 ?? uri
  }
}
