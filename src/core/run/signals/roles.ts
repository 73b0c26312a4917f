/**
 * Who may send which signal (AUT-05): An Admin may send what an Engineer may, and an Engineer what an Operator may. What only the
 * system sends, nobody else may send. The log records the least of the sender's roles that is sufficient (AUT-06).
 */
import { SIGNALS, type SignalType } from './catalogue.ts'

const LADDER = ['Operator', 'Engineer', 'Admin'] as const

export function sufficientRole(signalType: SignalType, roles: readonly string[]): string | undefined {
  return rolesFor(signalType).find((one) => roles.includes(one))
}

/** The least first. */
export function rolesFor(signalType: SignalType): readonly string[] {
  const { role } = SIGNALS[signalType]
  const rung = LADDER.findIndex((one) => one === role)
  return rung < 0 ? [role] : LADDER.slice(rung)
}
