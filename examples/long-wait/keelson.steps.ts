/** Before and after the wait; neither knows that there is one. */
export function order() {
  return { orderedAt: new Date().toISOString() }
}

export function confirm(input: { readonly orderedAt: string }) {
  const waitedMs = Date.now() - Date.parse(input.orderedAt)
  return { orderedAt: input.orderedAt, waitedMs }
}
