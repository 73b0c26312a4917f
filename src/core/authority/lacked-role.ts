/** What is said to whoever lacks a role. The tables are no secret: who is refused may know whom to ask. */
export function lackedRole(what: string, roles: readonly string[], userId: string): string {
  const [only, ...others] = roles
  if (only === undefined) return `${what} needs a role that ${userId} does not have`
  if (others.length === 0) return `${what} needs the role ${only}, which ${userId} does not have`
  return `${what} needs one of the roles ${roles.join(', ')}; ${userId} has none of them`
}
