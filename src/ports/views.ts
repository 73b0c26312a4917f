/** Views of the list of runs that people saved: a name and a filter, for oneself or for the whole tenant. Stores decide nothing. */
export interface SavedView {
  readonly tenantId: string
  /** Unique in the tenant. */
  readonly viewId: string
  readonly ownerId: string
  /** Whether the whole tenant sees it. */
  readonly isShared: boolean
  readonly name: string
  /** The text of the filter, as it is typed. */
  readonly filter: string
  readonly savedAt: number
}

export interface ViewStore {
  /** Replaces the view of that id. False: it is another person's, and stays as it is. */
  putView(view: SavedView): Promise<boolean>
  findView(tenantId: string, viewId: string): Promise<SavedView | undefined>
  /** A person's own, and those that are shared, by id. */
  listViews(tenantId: string, ownerId: string): Promise<readonly SavedView[]>
  /** False: there was none. */
  removeView(tenantId: string, viewId: string): Promise<boolean>
}
