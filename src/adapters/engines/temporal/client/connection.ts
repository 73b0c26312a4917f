/**
 * The connection to a Temporal server: made when it is first needed, once for all callers, and again after a failure. Errors of
 * the server and the network become our own errors, with provider, operation and run (TMP-14, ADP-06).
 */
import type { Client, TLSConfig } from '@temporalio/client'
import type { NativeConnection } from '@temporalio/worker'
import { fail, KeelsonError } from '../../../../core/problems/problem.ts'
import { loadSdk, type TemporalSdk } from './driver.ts'
import type { CheckedSettings, TlsSettings } from './settings.ts'

export class TemporalConnection {
  readonly #settings: CheckedSettings
  #client: Promise<Client> | undefined
  #native: Promise<NativeConnection> | undefined

  constructor(settings: CheckedSettings) {
    this.#settings = settings
  }

  sdk(): Promise<TemporalSdk> {
    return loadSdk()
  }

  client(): Promise<Client> {
    this.#client ??= this.#connect().catch((error: unknown) => {
      this.#client = undefined
      throw error
    })
    return this.#client
  }

  /** For workers, which have a connection of their own kind. */
  native(): Promise<NativeConnection> {
    this.#native ??= this.#connectNative().catch((error: unknown) => {
      this.#native = undefined
      throw error
    })
    return this.#native
  }

  async close(): Promise<void> {
    const [client, native] = [this.#client, this.#native]
    this.#client = undefined
    this.#native = undefined
    await (await client?.catch(() => undefined))?.connection.close()
    await (await native?.catch(() => undefined))?.close()
  }

  async #connect(): Promise<Client> {
    const { client } = await loadSdk()
    const { address, namespace, connectTimeoutMs } = this.#settings
    try {
      const connection = await client.Connection.connect({
        address,
        connectTimeout: connectTimeoutMs,
        ...credentialsOf(this.#settings),
      })
      return new client.Client({ connection, namespace, dataConverter: converterOf(this.#settings) })
    } catch (error) {
      return notConnected(this.#settings, error)
    }
  }

  async #connectNative(): Promise<NativeConnection> {
    const { worker } = await loadSdk()
    const { address } = this.#settings
    try {
      return await worker.NativeConnection.connect({
        address,
        ...credentialsOf(this.#settings),
      })
    } catch (error) {
      return notConnected(this.#settings, error)
    }
  }

  /** Calls the server within the time that a request may take; an error names the operation and the run. */
  async ask<T>(operation: string, runId: string, call: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.client()
    try {
      return await client.withDeadline(Date.now() + this.#settings.requestTimeoutMs, () => call(client))
    } catch (error) {
      if (error instanceof KeelsonError || isExpected(error)) throw error
      const why = reasonOf(error)
      const details = { provider: 'temporal', operation, runId }
      return fail('ADAPTER_PROVIDER_ERROR', `Temporal: ${operation} of run ${runId} failed: ${why}`, { details })
    }
  }
}

/** The SDK says what it was doing; the server's own word is the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

/** Errors that callers recognise by name: there is no such workflow, or it exists already. */
function isExpected(error: unknown): boolean {
  const name = error instanceof Error ? error.name : ''
  return name === 'WorkflowNotFoundError' || name === 'WorkflowExecutionAlreadyStartedError'
}

/** A server that went away while a worker was made is reported like one that never answered. */
export function notServed(settings: CheckedSettings, error: unknown): never {
  if (error instanceof Error && /Unavailable|DeadlineExceeded|transport error/.test(error.message))
    return notConnected(settings, error)
  throw error
}

function notConnected({ address }: CheckedSettings, error: unknown): never {
  const why = error instanceof Error ? error.message : String(error)
  return fail('TEMPORAL_CLIENT_NOT_CONNECTED', `no answer from the Temporal server at ${address}: ${why}`, {
    details: { provider: 'temporal', operation: 'connect', address },
  })
}

/** For clients and workers alike. An API key goes over TLS only. */
export function credentialsOf({ tls, apiKey }: Pick<CheckedSettings, 'tls' | 'apiKey'>): {
  tls?: true | TLSConfig
  apiKey?: string
} {
  const key = apiKey === undefined ? {} : { apiKey }
  if (tls === undefined || tls === false) return apiKey === undefined ? {} : { tls: true, ...key }
  return { tls: tls === true ? tls : tlsOf(tls), ...key }
}

function tlsOf({ serverName, rootCertificate, certificate, key }: TlsSettings): TLSConfig {
  return {
    ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
    ...(rootCertificate === undefined ? {} : { serverRootCACertificate: Buffer.from(rootCertificate) }),
    ...(certificate === undefined || key === undefined
      ? {}
      : { clientCertPair: { crt: Buffer.from(certificate), key: Buffer.from(key) } }),
  }
}

export function converterOf({ codec }: CheckedSettings): { payloadCodecs?: NonNullable<CheckedSettings['codec']>[] } {
  return codec === undefined ? {} : { payloadCodecs: [codec] }
}
