/** What happens before and after the person's decision. */
export function prepare(input: { readonly amount: number }) {
  return { invoice: `I-${input.amount}` }
}

export function pay(input: { readonly amount: number; readonly approval: unknown }) {
  return { receipt: `paid ${input.amount}`, approval: input.approval }
}
