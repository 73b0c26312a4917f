/** Where the large things lie that steps make: the log holds pointers to them, never their bytes (SEC-05). */
import type { ArtifactRef } from '../core/events/event.ts'

export type ArtifactContent = Uint8Array | string | AsyncIterable<Uint8Array | string>

export interface ArtifactAbout {
  /** What it is to its readers, such as `dbt-manifest` or `log-bundle`. */
  readonly kind: string
  /** What to call it when it is saved; part of the pointer, not of its identity. */
  readonly name?: string
  /** After this instant (RFC 3339, UTC) nobody should count on it (SEC-07). */
  readonly expiresAt?: string
}

/** A pointer that a store of ours gave: hash and size are always known. */
export type StoredArtifact = ArtifactRef & { readonly sha256: string; readonly sizeBytes: number }

export interface ArtifactStore {
  /** Resolves once the bytes are durable. The same bytes twice are stored once. */
  put(content: ArtifactContent, about: ArtifactAbout): Promise<StoredArtifact>
  /** The bytes, held against the hash in the pointer. */
  get(ref: Pick<ArtifactRef, 'uri'>): Promise<Uint8Array>
  /** The same piece by piece; rejects at the end when they do not fit the hash. */
  read(ref: Pick<ArtifactRef, 'uri'>): AsyncIterable<Uint8Array>
}
