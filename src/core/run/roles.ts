/**
 * Who may send which signal (AUT-05): Admin may what an Engineer may, an Engineer what an Operator may; what the system alone
 * sends nobody else may. On record goes the least of the sender's roles that suffices (AUT-06).
 */
import { SIGNALS, type SignalType } from './signals.ts'

const LADDER = ['Operator', 'Engineer', 'Admin'] as const

export function sufficientRole(signalType: SignalType, roles: readonly string[]): string | undefined {
  const { role } = SIGNALS[signalType]
  const rung = LADDER.findIndex((one) => one === role)
  const enough: readonly string[] = rung < 0 ? [role] : LADDER.slice(rung)
  return enough.find((one) => roles.includes(one))
}
