/**
 * An error that was thrown where nobody could catch it: in a timer, an event, a promise that nobody awaited. It is
 * reported under its own code; its classification depends on what was thrown.
 */
import { KeelsonError, problem } from './problem.ts'

export function strayError(thrown: unknown): KeelsonError {
  return new KeelsonError([problem('STRAY_ERROR', `an error that nobody caught: ${inWords(thrown)}`)], {
    cause: thrown,
  })
}

/** Name and message; never throws, whatever was thrown. */
export function inWords(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return typeof thrown === 'object' ? JSON.stringify(thrown) : String(thrown)
    const [line = ''] = thrown.message.split('\n')
    return line === '' ? thrown.name : `${thrown.name}: ${line}`
  } catch {
    return 'a value that cannot be shown'
  }
}
