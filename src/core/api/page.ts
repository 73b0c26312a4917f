/** The addresses of the page that a server shows: the server answers each with the same file, and the page reads which one it is. */

export const PAGE_PATHS = {
  runs: '/',
  run: '/runs/{executionId}',
  fork: '/runs/{executionId}/fork',
  compare: '/runs/{executionId}/compare',
  tasks: '/tasks',
  operations: '/operations',
  operation: '/operations/{operationId}',
  plans: '/plans',
  schedules: '/schedules',
  schedule: '/schedules/{scheduleId}',
  triggers: '/triggers',
  trigger: '/triggers/{trigger}',
  plan: '/plans/{planId}',
  start: '/plans/{planId}/start',
  planDiff: '/plans/{planId}/diff',
  editor: '/editor',
  apiKeys: '/keys',
  queue: '/queue',
  pools: '/pools',
  engines: '/engines',
  feed: '/feed',
  subscriber: '/feed/{subscriber}',
  alerts: '/alerts',
  audit: '/audit',
  bundle: '/bundle',
} as const

export type PageName = keyof typeof PAGE_PATHS
