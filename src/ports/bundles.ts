/** Storage for bundles of runs. A draft is on disk and can be read back before it gets its name. */
export interface BundleDraft {
  read(): AsyncIterable<string>
  /** Gives it its name, whole or not at all. Returns its place. */
  keep(name: string): Promise<string>
  drop(): Promise<void>
}

export interface BundleShelf {
  /** Lines without their line feeds. */
  draft(lines: AsyncIterable<string>): Promise<BundleDraft>
}
