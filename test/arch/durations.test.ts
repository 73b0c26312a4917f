/**
 * A duration is never measured with the wall clock, which may be set in the middle of it: where two readings of it are
 * subtracted, one of them must be an instant that was written down, and the file must be named here.
 */
import ts from 'typescript'
import { expect, it } from 'vitest'
import { productFiles } from '../../scripts/repository.ts'
import { parse, place, walk } from './source.ts'

/** What is subtracted there is an instant from a row, a log or a person, not a reading of this process. */
const BY_INSTANTS: ReadonlySet<string> = new Set([
  'src/adapters/engines/embedded/wake-up.ts',
  'src/adapters/engines/temporal/caretaker.ts',
  'src/adapters/engines/temporal/client/replies.ts',
  'src/adapters/engines/temporal/sandbox/wake-timer.ts',
  'src/app/execute/call-worker.ts',
  'src/app/execute/leave-to-worker.ts',
  'src/app/feed/follow.ts',
  'src/app/schedules/clockwork.ts',
  'src/app/signals/signal-rate.ts',
  'src/edge/cli/commands/resources.ts',
  'src/edge/cli/commands/runs.ts',
  'src/library/keelson/maintenance.ts',
  'src/adapters/engines/embedded/late-inbox-rows.ts',
])

const isWallReading = (node: ts.Node): boolean => {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false
  if (node.expression.name.text !== 'now') return false
  const from = node.expression.expression.getText()
  return from === 'Date' || /clock$/i.test(from)
}

it('durations are measured with the monotonic clock', () => {
  const broken: string[] = []
  for (const path of productFiles().filter((one) => !BY_INSTANTS.has(one) && !one.startsWith('src/testing/'))) {
    const source = parse(path)
    walk(source, (node) => {
      if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.MinusToken) return
      if (isWallReading(node.left) || isWallReading(node.right)) broken.push(place(node))
    })
  }
  expect(broken).toEqual([])
})
