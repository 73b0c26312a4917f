/** Functions of the parent and of its children: a process that drives a run drives its child runs too. */
import { setTimeout as pause } from 'node:timers/promises'

export async function pick(input: { readonly orderId: string }) {
  await pause(150)
  return { parcel: `parcel of ${input.orderId}` }
}

export async function pack(input: { readonly parcel: string }) {
  await pause(150)
  return { parcel: `${input.parcel}, packed` }
}

export function report(input: { readonly results: readonly { readonly parcel: string }[] }) {
  return { summary: input.results.map((result) => result.parcel).join('; ') }
}
