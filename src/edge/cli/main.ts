/**
 * The command line's entry: passes the request to the command table, and turns every thrown error into one clear message with a code and an exit code.
 */
import { visibleText } from '../../core/visible-text.ts'
import { exitOfProblem } from './terminal/exit-codes.ts'
import type { Telling } from './output/problems.ts'
import { endProcess, guardProcess } from './terminal/process-guard.ts'
import { processTerminal, type Terminal } from './terminal/terminal.ts'

export async function main(argv: readonly string[]): Promise<number> {
  const terminal = processTerminal()
  tellWarningsInOneLine()
  guardProcess({ argv, ...tellingOf(argv) })
  const code = await answer(argv, terminal)
  // Step functions may leave sockets or timers open; the command ends with its work.
  await terminal.flush()
  return endProcess(code)
}

function tellingOf(argv: readonly string[]): Telling {
  const beforeDashes = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  return { json: beforeDashes.includes('--json'), debug: beforeDashes.includes('--debug') }
}

/** The exit code; what was thrown is told. */
export async function answer(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  try {
    const { runProgram } = await import('./program.ts')
    return await runProgram(argv, terminal)
  } catch (thrown) {
    const { problemsOf, tellProblems } = await import('./output/problems.ts')
    tellProblems(terminal, thrown, tellingOf(argv))
    return exitOfProblem(problemsOf(thrown)[0].code)
  }
}

/**
 * Node shows our own warnings with the process, a name and advice about tracing; people need the code and the message.
 */
function tellWarningsInOneLine(): void {
  process.removeAllListeners('warning').on('warning', (warning: Error & { readonly code?: string }) => {
    const { code, name, message } = warning
    // The refusal of the steps file says the same, with its cause.
    if (message.startsWith('Failed to load the ES module')) return
    // Through the stream, so that it neither breaks a picture nor mixes into JSON lines.
    process.stderr.write(`${code ?? name}  ${visibleText(message)}\n`)
  })
}
