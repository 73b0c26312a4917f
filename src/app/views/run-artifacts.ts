/** The artifacts of a run, with a flag on those that are no longer reliable (SEC-07). */
import type { ArtifactRef } from '../../core/events/event.ts'
import { msFromIso } from '../../core/time.ts'

export type ListedArtifact = ArtifactRef & { readonly expired?: true }

export function listedArtifacts(artifacts: readonly ArtifactRef[], now: number): readonly ListedArtifact[] {
  return artifacts.map((artifact) => {
    const until = artifact.expiresAt === undefined ? undefined : msFromIso(artifact.expiresAt)
    return until !== undefined && until <= now ? { ...artifact, expired: true } : artifact
  })
}
