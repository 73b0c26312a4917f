/**
 * A peopled server in a process of its own, for tests that send it everything. It tells its address on the first line; for each line
 * that it is sent it tells how it is: memory after a collection, open sockets, problems that nobody expected.
 */
import { createInterface } from 'node:readline'
import { peopled } from './peopled.ts'

// How often one may ask is tried elsewhere: here it would answer nearly half of them.
const world = await peopled(process.argv[2] ?? '', { limits: { perPrincipal: 0, perTenant: 0, perAddress: 0 } })
const { server, acme } = world
process.stdout.write(`${JSON.stringify({ url: server.url, names: acme.names })}\n`)

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'stop') break
  for (let i = 0; i < 4; i++) globalThis.gc?.()
  const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  const told = server.told.map((one) => (one instanceof Error ? (one.stack ?? one.message) : String(one)))
  process.stdout.write(`${JSON.stringify({ heapBytes: process.memoryUsage().heapUsed, sockets, told })}\n`)
}
await world[Symbol.asyncDispose]()
