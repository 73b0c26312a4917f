/** The addresses of the page that a server shows: the server answers each with the same file, and the page reads which one it is. */

export const PAGE_PATHS = {
  runs: '/',
  run: '/runs/{executionId}',
  tasks: '/tasks',
  operations: '/operations',
  operation: '/operations/{operationId}',
  plans: '/plans',
  start: '/plans/{planId}',
  apiKeys: '/keys',
} as const

export type PageName = keyof typeof PAGE_PATHS
