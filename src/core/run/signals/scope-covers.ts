/** Whether a pause of this scope is for runs of this plan (P-23). Whose pause it is, the store has asked before. */
export function scopeCovers(scope: string, planId: string): boolean {
  return scope === 'fleet' || scope === 'tenant' || scope === `plan:${planId}`
}
