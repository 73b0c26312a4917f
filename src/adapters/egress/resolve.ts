/** Every address of a name, from the system's own resolver (hosts file included), in its order. */
export type Resolve = (host: string) => Promise<readonly string[]>

export const resolveBySystem: Resolve = async (host) => {
  // Loaded with the first request: most commands make none.
  const { lookup } = await import('node:dns/promises')
  const found = await lookup(host, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}
