/** `keelson pause`: the signal of the same name, as a command. `keelson resume` lifts it and goes on. */
import type { Call } from '../terminal/command.ts'
import { signal } from './signal.ts'

export function pause(call: Call): Promise<number> {
  return signal({ ...call, args: [call.args[0] ?? '', 'pause'] })
}
