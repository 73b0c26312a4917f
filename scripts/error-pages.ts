/** One page per error code, and their index, from the one registry: what happened, what was done, what to do. */
import { REGISTRY, type ProblemEntry } from '../src/core/problems/registry.ts'
import type { GeneratedFile } from './generated-file.ts'

export const ERROR_PAGES = 'docs/errors'

function page(code: string, entry: ProblemEntry): string {
  return [
    `# ${code}`,
    '',
    '<!-- Generated from src/core/problems by `npm run docs`. -->',
    '',
    `**What happened.** ${entry.title}`,
    '',
    `**What Keelson did.** ${entry.did}`,
    '',
    `**What to do.** ${entry.todo}`,
    '',
    entry.retryable
      ? 'The same call may succeed later without a change.'
      : 'Trying again without a change will not help.',
    '',
  ].join('\n')
}

export function errorPages(): readonly GeneratedFile[] {
  const entries = Object.entries<ProblemEntry>(REGISTRY).sort(([a], [b]) => (a < b ? -1 : 1))
  const index = [
    '# Error codes',
    '',
    '<!-- Generated from src/core/problems by `npm run docs`. -->',
    '',
    'Every expected failure has a code, and every code a page. `keelson help <CODE>` shows the same text.',
    '',
    '| code | what happened | may be retried |',
    '|---|---|---|',
    ...entries.map(([code, entry]) => `| [${code}](${code}.md) | ${entry.title} | ${entry.retryable ? 'yes' : 'no'} |`),
    '',
  ].join('\n')
  return [
    { path: `${ERROR_PAGES}/README.md`, text: index },
    ...entries.map(([code, entry]) => ({ path: `${ERROR_PAGES}/${code}.md`, text: page(code, entry) })),
  ]
}
