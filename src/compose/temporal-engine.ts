/**
 * The Temporal engine as the command line opens it: settings from flags and from the variables that Temporal's own
 * tools read; and a local server for users without one. Loaded only on request.
 */
import { readFileSync } from 'node:fs'
import { TemporalConnection } from '../adapters/engines/temporal/client/connection.ts'
import { temporal } from '../adapters/engines/temporal/engine.ts'
import type { TemporalOptions } from '../adapters/engines/temporal/client/options.ts'
import { checkSettings } from '../adapters/engines/temporal/client/settings.ts'
import { checkNamespace } from '../adapters/engines/temporal/client/sight.ts'
import { freePort } from '../adapters/processes/free-port.ts'
import { findTemporal, startTemporalServer } from '../adapters/processes/temporal-server.ts'
import { fail } from '../core/problems/problem.ts'
import type { EngineFactory } from '../ports/engine.ts'

export { findTemporal, freePort, startTemporalServer }

export interface TemporalFlags {
  readonly address?: string | undefined
  readonly namespace?: string | undefined
  readonly taskQueue?: string | undefined
  readonly worker?: TemporalOptions['worker']
  readonly shutdownGraceMs?: number
}

type Variables = Readonly<Record<string, string | undefined>>

export function temporalEngine(flags: TemporalFlags, variables: Variables = process.env): EngineFactory {
  return temporal(optionsOf(flags, variables))
}

/** Returns where the server is; rejects when it does not answer, or lacks the namespace. */
export async function checkTemporal(variables: Variables = process.env): Promise<string> {
  const settings = checkSettings(optionsOf({}, variables))
  const connection = new TemporalConnection(settings)
  try {
    await checkNamespace(connection, settings)
    return `${settings.address}, namespace ${settings.namespace}`
  } finally {
    await connection.close()
  }
}

function optionsOf(flags: TemporalFlags, variables: Variables): TemporalOptions {
  const { address, namespace, taskQueue, worker, shutdownGraceMs } = flags
  const given = {
    address: address ?? variable(variables, 'TEMPORAL_ADDRESS'),
    namespace: namespace ?? variable(variables, 'TEMPORAL_NAMESPACE'),
    taskQueue: taskQueue ?? variable(variables, 'TEMPORAL_TASK_QUEUE'),
    apiKey: variable(variables, 'TEMPORAL_API_KEY'),
    tls: tlsOf(variables),
    worker,
    shutdownGraceMs,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function variable(variables: Variables, name: string): string | undefined {
  const value = variables[name]
  return value === '' ? undefined : value
}

function tlsOf(variables: Variables): TemporalOptions['tls'] {
  const file = (name: string): Uint8Array | undefined => {
    const path = variable(variables, name)
    return path === undefined ? undefined : readCertificate(path)
  }
  const parts = {
    certificate: file('TEMPORAL_TLS_CLIENT_CERT_PATH'),
    key: file('TEMPORAL_TLS_CLIENT_KEY_PATH'),
    rootCertificate: file('TEMPORAL_TLS_SERVER_CA_CERT_PATH'),
    serverName: variable(variables, 'TEMPORAL_TLS_SERVER_NAME'),
  }
  const named = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined))
  if (Object.keys(named).length > 0) return named
  return variable(variables, 'TEMPORAL_TLS') === 'true' ? true : undefined
}

function readCertificate(path: string): Uint8Array {
  try {
    return readFileSync(path)
  } catch {
    return fail('FILE_NOT_FOUND', `there is no file ${path} for the connection to Temporal`)
  }
}
