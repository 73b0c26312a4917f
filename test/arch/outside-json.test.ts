/**
 * JSON text from outside goes through `readJsonText`, which changes nothing silently. JSON.parse does: it rounds numbers and
 * drops keys. So it stands only where the text is our own.
 */
import ts from 'typescript'
import { expect, it } from 'vitest'
import { productFiles } from '../../scripts/repository.ts'
import { parse, walk } from './source.ts'

/** File → whose text it reads there. An entry that nothing uses any more must go. */
const OWN_TEXT: Readonly<Record<string, string>> = {
  'src/core/json/read-json-text.ts': 'one quoted text, to undo its escapes',
  'src/core/plan/read-json.ts': 'one quoted text, to undo its escapes',
  'src/core/events/event-content.ts': 'a record of the store',
  'src/core/view/stored-view.ts': 'a snapshot of the store',
  'src/app/run-context.ts': 'a context row of the store',
  'src/app/load-run.ts': 'a snapshot of the store',
  'src/app/load-plan.ts': 'a compiled plan of the store, checked by its hash',
  'src/app/read-events.ts': 'a record of the store',
  'src/app/inbox-input.ts': 'an inbox row of the store',
  'src/app/child-end.ts': 'a blob of the store',
  'src/app/read-results.ts': 'a blob of the store',
  'src/app/prepare-outcome.ts': 'canonical text that was written a line above',
  'src/app/run-bundle.ts': 'a record of the store',
  'src/app/json-schema.ts': 'a schema of a compiled plan',
  'src/app/signal-run.ts': 'an inbox row of the store',
  'src/app/manual-tasks.ts': 'an inbox row of the store, and what would become one',
  'src/app/check-bundle.ts': 'lines of a bundle, whose link is computed over what was read',
  'src/app/run-driver.ts': 'an inbox row of the store',
  'src/app/commit-intent.ts': 'a line of our own buffer',
  'src/app/redact.ts': 'text that was written a line above',
  'src/app/receipts.ts': 'a receipt, whose signature is over what was read',
  'src/app/verify-chain.ts': 'a record, which must be canonical to be whole',
  'src/edge/library/run-result.ts': 'a blob of the store',
  'src/adapters/guard/shared-beat.ts': 'memory that our own thread wrote',
  'src/edge/cli/sources.ts': 'our own note of where a plan came from',
  'src/edge/cli/run-watch.ts': 'a compiled plan of the store',
  'src/edge/cli/main.ts': "the package's own manifest",
  'src/conformance-engines.ts': 'a compiled plan of the store',
  'src/testing/open-append-cases.ts': 'a record of the store',
  'src/adapters/stores/memory/open-append.ts': 'a record of the store',
  'src/adapters/stores/sqlite/open-append.ts': 'a record of the store',
  'src/adapters/stores/postgres/open-append.ts': 'a record of the store',
  'src/adapters/stores/postgres/append.ts': 'what our own SQL function answers',
}

/** How often a file calls it. */
function parses(path: string): number {
  let found = 0
  walk(parse(path), (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return
    const { expression, name } = node.expression
    if (name.text === 'parse' && expression.getText() === 'JSON') found += 1
  })
  return found
}

it('JSON.parse reads only text that is our own', () => {
  const using = productFiles().filter((path) => parses(path) > 0)
  expect(using.filter((path) => !Object.hasOwn(OWN_TEXT, path))).toEqual([])
  expect(Object.keys(OWN_TEXT).filter((path) => !using.includes(path))).toEqual([])
})
