/** The workflows somebody would write by hand for the same work: activities one after another, or all at once. */
import { proxyActivities } from '@temporalio/workflow'

const { work } = proxyActivities<{ work(input: { readonly n: number }): Promise<{ readonly n: number }> }>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '60 seconds', maximumAttempts: 3 },
})

export async function chain(count: number): Promise<number> {
  let n = 0
  for (let step = 0; step < count; step += 1) n = (await work({ n })).n
  return n
}

export async function fan(count: number): Promise<number> {
  const done = await Promise.all(Array.from({ length: count }, (_, n) => work({ n })))
  return done.length
}
