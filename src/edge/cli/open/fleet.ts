/** Operations on many runs for a command: those of the local tenant in the store of this place, or those behind a server. */
import { randomUUID } from 'node:crypto'
import type { OperationAsked } from '../../../app/fleet/manage-operations.ts'
import { ReadRuns } from '../../../app/loaded/read-runs.ts'
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import type { Asking } from '../../../app/signals/authorized-sender.ts'
import type { AnswerOf, BodyOf } from '../../../core/api/contract.ts'
import type * as api from '../../../core/api/fleet.ts'
import type { Client } from '../../../client/connect.ts'
import type { RunStore } from '../../../ports/run-store.ts'
import { listFilter } from '../../http/wire/list-filter.ts'
import { shownOperation, shownPreview, type ShownOperation, type ShownPreview } from '../../http/wire/operation-view.ts'
import { serverClient } from '../remote/server-client.ts'
import type { Options } from '../terminal/command.ts'
import { openToLook } from './look.ts'

export type FleetAsked = BodyOf<typeof api.previewOperation>
export type FleetStart = BodyOf<typeof api.startOperation>
export type WholeOperation = AnswerOf<typeof api.getOperation>

export interface FleetCalls {
  preview(asked: FleetAsked): Promise<ShownPreview>
  start(asked: FleetStart): Promise<ShownOperation>
  list(): Promise<readonly ShownOperation[]>
  get(operationId: string): Promise<WholeOperation>
  abort(operationId: string, reason?: string): Promise<ShownOperation>
  close(): Promise<void>
}

export async function openFleet(options: Options): Promise<FleetCalls> {
  const client = await serverClient(options, options.text('as'))
  if (client !== undefined) return fleetAfar(client)
  return fleetHere(await openToLook(options), options.text('as') ?? LOCAL_PRINCIPAL.actorId)
}

const PAGE = 50
const REFUSED_SHOWN = 100

/** Whoever may write the store may send every signal that people send. */
async function fleetHere(store: RunStore, actorId: string): Promise<FleetCalls> {
  const app = await import('../../../app/fleet/manage-operations.ts')
  const { roleRules } = await import('../../../app/identity/role-rules.ts')
  const services = { store, random: { uuid: randomUUID }, clock: { now: Date.now } }
  const caller = { ...LOCAL_PRINCIPAL, actorId, kind: 'local', roles: ['Admin'] } as const
  const asking: Asking = { caller, authorizer: roleRules(services.random) }
  const { tenantId } = caller
  return {
    preview: async ({ filter, signalType, payload = {} }) => {
      const { previewOperation } = await import('../../../app/fleet/preview-operation.ts')
      const parts = { services, advancer: new ReadRuns(store) }
      return shownPreview(
        await previewOperation(parts, asking, { signalType, payload }, listFilter(filter, Date.now())),
      )
    },
    start: async ({ operationId, filter, signalType, payload = {}, previewSha256 }) => {
      const meant = listFilter(filter, Date.now())
      const asked: OperationAsked = { operationId, signal: { signalType, payload }, filter, meant, previewSha256 }
      return shownOperation(await app.startOperation(services, asking, asked))
    },
    list: async () => (await app.listOperations(store, tenantId, { limit: PAGE })).progress.map(shownOperation),
    get: async (operationId) => {
      const operation = await app.findOperation(store, tenantId, operationId)
      const refused = await app.refusedRuns(store, operation, REFUSED_SHOWN)
      return {
        operation: shownOperation(await app.progressOf(store, operation)),
        refusedRuns: refused.map(({ runId, code = '' }) => ({ executionId: runId, code })),
      }
    },
    abort: async (operationId, reason) =>
      shownOperation(await app.abortOperation(services, caller, operationId, reason)),
    close: () => store.close(),
  }
}

function fleetAfar({ call }: Client): FleetCalls {
  const of = (operationId: string): { readonly params: { readonly operationId: string } } => ({
    params: { operationId },
  })
  return {
    preview: (body) => call('previewOperation', { body }),
    start: (body) => call('startOperation', { body }),
    list: async () => (await call('listOperations', { query: { limit: PAGE } })).operations,
    get: (id) => call('getOperation', of(id)),
    abort: (id, reason) => call('abortOperation', { ...of(id), body: reason === undefined ? {} : { reason } }),
    close: async () => undefined,
  }
}
