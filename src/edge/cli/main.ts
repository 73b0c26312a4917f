/**
 * The command line's entry: answers what needs nothing loaded, hands the rest to the command table, and turns whatever
 * is thrown into one clear message with a code and an exit code.
 */
import { readFileSync } from 'node:fs'
import { exitOfProblem } from './exit-codes.ts'
import type { Telling } from './output/problems.ts'
import { endProcess, guardProcess } from './process-guard.ts'
import { processTerminal, type Terminal } from './terminal.ts'

export async function main(argv: readonly string[]): Promise<number> {
  const terminal = processTerminal()
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    terminal.line(version())
    return 0
  }
  tellWarningsInOneLine()
  const beforeDashes = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  const telling = { json: beforeDashes.includes('--json'), debug: beforeDashes.includes('--debug') }
  guardProcess({ argv, ...telling })
  const code = await answer(argv, terminal, telling)
  // Step functions may leave sockets or timers open; the command is done when its work is.
  await terminal.flush()
  return endProcess(code)
}

async function answer(argv: readonly string[], terminal: Terminal, telling: Telling): Promise<number> {
  try {
    const { runProgram } = await import('./program.ts')
    return await runProgram(argv, terminal)
  } catch (thrown) {
    const { problemsOf, tellProblems } = await import('./output/problems.ts')
    tellProblems(terminal, thrown, telling)
    return exitOfProblem(problemsOf(thrown)[0].code)
  }
}

/** Of our own warnings Node shows the process, a name and advice about tracing; people need the code and the message. */
function tellWarningsInOneLine(): void {
  process.removeAllListeners('warning').on('warning', (warning: Error & { readonly code?: string }) => {
    const { code, name, message } = warning
    // Through the stream, so that it neither tears a picture nor mixes into JSON lines.
    process.stderr.write(`${code ?? name}  ${message}\n`)
  })
}

function version(): string {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { readonly version: string }).version
}
