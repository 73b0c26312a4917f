/** Refuses to test on a Node the product does not support: an old one would fail in places that tell nothing. */
export function setup(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 19)) return
  throw new Error(
    `NODE_TOO_OLD: tests need Node 22.19 or newer, this is ${process.versions.node}; run \`npm ci\` first`,
  )
}
