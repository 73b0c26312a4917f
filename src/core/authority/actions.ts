/**
 * What a principal may do over HTTP, by role (AUT-14). What no row names is denied (AUT-13). Signals have a table of their own
 * (`src/core/run/signals/roles.ts`, AUT-05); sending one needs both: the action here and the role there.
 */
export const ACTIONS = [
  'PLAN_CREATE',
  'PLAN_READ',
  'PLAN_UPDATE',
  'PLAN_DELETE',
  'RUN_START',
  'RUN_CANCEL',
  'RUN_APPROVE',
  'RUN_READ_STATUS',
  'SIGNAL_SEND',
  'TASK_READ',
  'TASK_COMPLETE',
  'ARTIFACT_READ',
  'ARTIFACT_DELETE',
  'PLUGIN_INSTALL',
  'PLUGIN_UNINSTALL',
  'TENANT_READ',
  'RBAC_ROLE_ASSIGN',
  'AUDIT_READ',
  'SERVER_OPERATE',
  'WORK_DO',
  'WORK_SECRETS',
] as const
export type Action = (typeof ACTIONS)[number]

/**
 * `System` and the workers are outside the ladder of people: they are for what acts by itself. `System` sends the signals that AUT-05
 * gives it; it approves nothing, for an approval is the word of a person. `server-operator` is for whoever runs
 * the server: it sees what spans tenants, and nothing of their runs; no administrator of a tenant can give it.
 */
export const ROLES = [
  'viewer',
  'auditor',
  'approver',
  'plan-author',
  'Operator',
  'Engineer',
  'Admin',
  'worker',
  'worker-secrets',
  'System',
  'server-operator',
] as const
export type Role = (typeof ROLES)[number]

/** Other spellings of the same roles. */
const SAME: Readonly<Record<string, Role>> = { operator: 'Operator', 'tenant-admin': 'Admin' }

const READS: readonly Action[] = ['PLAN_READ', 'RUN_READ_STATUS', 'TENANT_READ']
const OPERATES: readonly Action[] = [
  ...READS,
  'RUN_START',
  'RUN_CANCEL',
  'RUN_APPROVE',
  'SIGNAL_SEND',
  'TASK_READ',
  'TASK_COMPLETE',
  'ARTIFACT_READ',
]

export const GRANTS: { readonly [role in Role]: readonly Action[] } = {
  viewer: READS,
  auditor: [...READS, 'ARTIFACT_READ', 'AUDIT_READ'],
  approver: [...READS, 'TASK_READ', 'TASK_COMPLETE'],
  'plan-author': [...READS, 'PLAN_CREATE', 'PLAN_UPDATE', 'PLAN_DELETE'],
  Operator: OPERATES,
  Engineer: OPERATES,
  Admin: ACTIONS.filter((action) => action !== 'SERVER_OPERATE'),
  /** A worker does the steps that plans leave to it, and sees nothing else; one with secrets is given those of its steps. */
  worker: ['WORK_DO'],
  'worker-secrets': ['WORK_DO', 'WORK_SECRETS'],
  System: ['RUN_READ_STATUS', 'SIGNAL_SEND'],
  'server-operator': ['SERVER_OPERATE', 'TENANT_READ'],
}

/** Those that may do it, the least first. */
export function rolesWith(action: Action): readonly Role[] {
  return ROLES.filter((role) => GRANTS[role].includes(action))
}

/** The role that a word means; undefined for a word that means none. */
export function roleOf(word: string): Role | undefined {
  const same = Object.hasOwn(SAME, word) ? SAME[word] : undefined
  return same ?? ROLES.find((role) => role === word)
}

/** Does one of the roles grant the action? Unknown roles grant nothing. */
export function isGranted(action: Action, roles: readonly string[]): boolean {
  return roles.some((word) => {
    const role = roleOf(word)
    return role !== undefined && GRANTS[role].includes(action)
  })
}
