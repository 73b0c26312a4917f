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
  'src/core/plan/read/read-json.ts': 'one quoted text, to undo its escapes',
  'src/core/events/event-content.ts': 'a record of the store',
  'src/core/view/project/stored-view.ts': 'a snapshot of the store',
  'src/app/values/run-context.ts': 'a context row of the store',
  'src/app/loaded/load-run.ts': 'a snapshot of the store',
  'src/app/plans/load.ts': 'a compiled plan of the store, checked by its hash',
  'src/app/inbox/input.ts': 'an inbox row of the store',
  'src/app/advance/child-end.ts': 'a blob of the store',
  'src/app/values/read-results.ts': 'a blob of the store',
  'src/app/advance/prepare-outcome.ts': 'canonical text that was written a line above',
  'src/app/values/step-pointers.ts': 'canonical text that was written a line above',
  'src/app/log/run-bundle.ts': 'a record of the store',
  'src/app/schemas/json-schema.ts': 'a schema of a compiled plan',
  'src/app/schemas/objects.ts': 'a default of a schema, written a line above',
  'src/app/signals/decision-record.ts': 'an inbox row and a decision of the store',
  'src/app/inbox/task-completion.ts': 'what would become an inbox row',
  'src/app/inbox/task-inbox-rows.ts': 'an inbox row of the store',
  'src/edge/http/serve/idempotency.ts': 'an answer of the store',
  'src/app/sides/check-inbox-rows.ts': 'an inbox row of the store',
  'src/core/bundle/bundle-lines.ts': 'lines of a bundle, whose link is computed over what was read',
  'src/core/events/read-record.ts': 'a record of the store or of a bundle',
  'src/app/verify/check-bundle.ts': 'the plan of a bundle, whose hash is in its row',
  'src/app/engines/run-driver.ts': 'an inbox row of the store',
  'src/app/commit/intent.ts': 'a line of our own buffer',
  'src/app/redact/redact.ts': 'text that was written a line above',
  'src/app/receipts/receipts.ts': 'a receipt, whose signature is over what was read',
  'src/app/receipts/published.ts': 'a statement, whose signature is over what was read',
  'src/app/fleet/record.ts': 'an operation as it was stored',
  'src/app/schedules/record.ts': 'a schedule of the store',
  'src/app/triggers/record.ts': 'a trigger of the store',
  'src/app/work/record.ts': 'a row of work of the store',
  'src/app/work/list-workers.ts': 'a worker of the store',
  'src/edge/http/routes/triggers.ts': 'a delivery of the store',
  'src/app/sides/check-names.ts': 'a compiled plan of the store',
  'src/app/sides/check-labels.ts': 'an input of the store',
  'src/app/sides/check-forked.ts': 'a compiled plan and a value of the store',
  'src/app/sides/same-json.ts': 'rows of the store that are compared',
  'src/app/verify/verify-store.ts': 'a compiled plan of the store, checked by its hash',
  'src/app/verify/chain.ts': 'a record, which must be canonical to be whole',
  'src/library/read/run-result.ts': 'a blob of the store',
  'src/testing/store/event-cases.ts': 'an inbox row of the store',
  'src/adapters/guard/shared-beat.ts': 'memory that our own thread wrote',
  'src/edge/cli/files/sources.ts': 'our own note of where a plan came from',
  'src/library/read/run-reader.ts': 'a compiled plan of the store',
  'src/compose/conformance-engines.ts': 'a compiled plan of the store',
  'src/testing/store/open-append-cases.ts': 'a record of the store',
  'src/adapters/stores/memory/open-append.ts': 'a record of the store',
  'src/adapters/stores/sqlite/append-text.ts': 'a record of the store',
  'src/adapters/stores/sqlite/open-append.ts': 'a record of the store',
  'src/adapters/stores/postgres/open-append.ts': 'a record of the store',
  'src/adapters/stores/postgres/append.ts': 'what our own SQL function answers',
  'src/adapters/stores/sqlite/api-keys.ts': 'a list of roles that the store wrote',
  'src/adapters/stores/postgres/api-keys.ts': 'a list of roles that the store wrote',
  'src/adapters/stores/sqlite/idempotency.ts': 'an answer of our own server, written by the store',
  'src/adapters/stores/postgres/idempotency.ts': 'an answer of our own server, written by the store',
  'src/core/audit/audit-chain.ts': 'an audit record, whose hash is over what was read',
  'src/testing/store/audit-cases.ts': 'an audit record of the store',
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
