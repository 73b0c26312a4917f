/**
 * The text of a plan is a program that a stranger wrote for our parser. It is read behind one fence (src/library/plans/compile-apart.ts),
 * which ends what takes too long; so the functions that read it are called from there, and from what this table lists.
 */
import ts from 'typescript'
import { expect, it } from 'vitest'
import { productFiles } from '../../scripts/repository.ts'
import { parse, walk } from './source.ts'

const READERS = new Set([
  'readDocument',
  'readYaml',
  'readPlan',
  'parsePlan',
  'compilePlan',
  'readForeign',
  'parseWorkflow',
  'parseCapabilityMatrix',
  'parsePack',
  'importOrchestr8',
  'importExecutionPlan',
  'importPlan',
  'readSource',
  'readEntry',
])

/** File and reader → why it may. An entry that nothing uses any more must go. */
const ALLOWED: Readonly<Record<string, string>> = {
  'src/library/plans/compile-apart.ts compilePlan': 'the fence: a text that is short',
  'src/library/plans/compile-apart.ts importPlan': 'the fence: texts that are short',
  'src/library/plans/compile-thread.ts compilePlan': 'in the thread that may be ended',
  'src/library/plans/compile-thread.ts importPlan': 'in the thread that may be ended',
  'src/library/plans/compile-apart.ts readSource': 'the fence: a text that is short',
  'src/library/plans/compile-thread.ts readSource': 'in the thread that may be ended',
  'src/app/sources/read-source.ts readDocument': 'a part of readSource: which kind of text it is',
  'src/app/sources/read-source.ts compilePlan': 'a part of readSource',
  'src/app/sources/read-source.ts importPlan': 'a part of readSource',
  'src/app/plans/compile.ts readPlan': 'a part of compilePlan',
  'src/core/plan/compile/parse-plan.ts readPlan': 'a part of parsePlan',
  'src/core/plan/compile/parse-plan.ts readDocument': 'a part of readPlan',
  'src/core/plan/read/read-document.ts readYaml': 'a part of readDocument',
  'src/app/plans/import-plan.ts parseWorkflow': 'a part of importPlan',
  'src/app/plans/import-plan.ts parseCapabilityMatrix': 'a part of importPlan',
  'src/app/plans/import-plan.ts parsePack': 'a part of importPlan',
  'src/app/plans/import-plan.ts importOrchestr8': 'a part of importPlan',
  'src/app/plans/import-plan.ts importExecutionPlan': 'a part of importPlan',
  'src/app/plans/import-plan.ts readDocument': 'a part of importPlan: which project it is from',
  'src/core/plan/import/import-execution-plan.ts readDocument': 'a part of importExecutionPlan',
  'src/core/plan/import/import-orchestr8.ts readDocument': 'a part of importOrchestr8: which shape it has',
  'src/core/plan/import/import-orchestr8.ts readForeign': 'a part of importOrchestr8',
  'src/core/plan/import/workflow-pack.ts readForeign': 'a part of parsePack',
  'src/core/plan/import/workflow-v1.ts readForeign': 'a part of parseWorkflow',
  'src/core/plan/import/capability-matrix.ts readForeign': 'a part of parseCapabilityMatrix',
  'src/core/plan/import/read-foreign.ts readDocument': 'a part of readForeign',
  'src/core/config/read-config.ts readDocument': 'no plan: the configuration, which the operator of the server wrote',
  'src/app/conformance/read-entry.ts readDocument': 'a text that is short; the plan it names goes through the fence',
  'src/edge/cli/files/conformance-files.ts readEntry': 'it brings the fence with it',
  'src/core/plan/write/written-plan.ts parsePlan': 'its own text, of a plan that was compiled before',
  'src/edge/cli/files/check-handlers.ts parsePlan': 'a text that is short and was compiled before, for its lines',
}

/** Other functions that happen to have such a name. */
const OTHERS = new Set([
  'src/main.ts importPlan',
  'src/edge/cli/files/sources.ts readEntry',
  'src/core/plan/read/read-json.ts readEntry',
])

function uses(path: string): readonly string[] {
  const found = new Set<string>()
  walk(parse(path), (node) => {
    // Also where one is handed on by name.
    if (!ts.isIdentifier(node) || !READERS.has(node.text)) return
    const { parent } = node
    const isNamedOnly = ts.isImportSpecifier(parent) || ts.isFunctionDeclaration(parent) || ts.isTypeQueryNode(parent)
    if (!isNamedOnly) found.add(`${path} ${node.text}`)
  })
  return [...found].filter((use) => !OTHERS.has(use))
}

it('a plan’s text is read by nothing but the fence, which can end the reading, and the list is up to date', () => {
  const found = productFiles().flatMap((path) => uses(path))
  expect(found.toSorted()).toEqual(Object.keys(ALLOWED).toSorted())
})
