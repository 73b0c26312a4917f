/**
 * Storage for the large things that steps make: the log holds pointers to them, never their bytes (SEC-05). They belong
 * to a tenant, and each run says which of them it needs, so that erasing a run can delete what only it needed (P-34).
 */
import type { ArtifactRef } from '../core/events/event.ts'

export type ArtifactContent = Uint8Array | string | AsyncIterable<Uint8Array | string>

export interface ArtifactAbout {
  /** Its kind for readers, such as `dbt-manifest` or `log-bundle`. */
  readonly kind: string
  /** A file name for saving; part of the pointer, not of its identity. */
  readonly name?: string
  /** After this instant (RFC 3339, UTC) it may be missing (SEC-07). */
  readonly expiresAt?: string
}

/** A pointer from our own store: hash and size are always known. */
export type StoredArtifact = ArtifactRef & { readonly sha256: string; readonly sizeBytes: number }

/** The owner, and the run that makes or needs them. */
export interface ArtifactHolder {
  readonly tenantId: string
  readonly runId: string
}

type Pointer = Pick<ArtifactRef, 'uri'>

export interface ArtifactStore {
  /** Resolves once the bytes are durable. The same bytes twice in one tenant are stored once. */
  put(holder: ArtifactHolder, content: ArtifactContent, about: ArtifactAbout): Promise<StoredArtifact>
  /**
   * The bytes, checked against the hash in the pointer. Only bytes of the holder's tenant; a reader becomes a holder
   * too.
   */
  get(holder: ArtifactHolder, ref: Pointer): Promise<Uint8Array>
  /** The same in pieces; rejects at the end when they do not match the hash. */
  read(holder: ArtifactHolder, ref: Pointer): AsyncIterable<Uint8Array>
  /** The run holds these too, as far as they are stored here. */
  hold(holder: ArtifactHolder, refs: readonly Pointer[]): Promise<void>
  /** The run holds nothing any more; bytes that no other run of the tenant holds are deleted. */
  drop(holder: ArtifactHolder): Promise<void>
}
