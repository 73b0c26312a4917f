/** One line with a command that a person may want to type next. */
import type { Terminal } from './terminal.ts'

export function nextCommand(terminal: Terminal, name: string, command: string): void {
  terminal.line(`  ${name.padEnd(11)}${terminal.paint.cyan(command)}`)
}
