/**
 * What the process measures, in the text format of Prometheus (OBS-07). It is read without a principal, so no label names a tenant, a
 * plan, a step or a run: only kinds of things.
 */
import { KeelsonError } from '../../../core/problems/problem.ts'
import type { BareListenerEvent } from '../../../ports/listeners.ts'
import type { Keelson } from '../../../library/keelson/keelson.ts'
import { partsOf } from '../../../library/services-of.ts'

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120, 600, 3_600] as const
const MILLISECONDS = [1, 5, 10, 25, 50, 100, 250, 1_000, 5_000] as const

const ENGINE_ERRORS: ReadonlySet<string> = new Set(['ADAPTER_PROVIDER_ERROR', 'TEMPORAL_CLIENT_NOT_CONNECTED'])

type Labels = Readonly<Record<string, string>>

class Series {
  readonly #about: string
  readonly #name: string
  readonly #values = new Map<string, { readonly text: string; value: number }>()

  constructor(name: string, about: string) {
    this.#name = name
    this.#about = about
  }

  add(by: number, labels: Labels = {}): void {
    const key = Object.values(labels).join('\n')
    const known = this.#values.get(key)
    if (known === undefined) this.#values.set(key, { text: textOf(labels), value: by })
    else known.value += by
  }

  lines(type: 'counter' | 'gauge'): readonly string[] {
    const values = this.#values.size === 0 ? [{ text: '', value: 0 }] : [...this.#values.values()]
    return [...head(this.#name, this.#about, type), ...values.map(({ text, value }) => `${this.#name}${text} ${value}`)]
  }
}

class Histogram {
  readonly #name: string
  readonly #about: string
  readonly #bounds: readonly number[]
  /** Of each bound what is above the one before it. */
  readonly #counts: number[]
  #sum = 0
  #count = 0

  constructor(name: string, about: string, bounds: readonly number[]) {
    this.#name = name
    this.#about = about
    this.#bounds = bounds
    this.#counts = bounds.map(() => 0)
  }

  record(value: number): void {
    this.#sum += value
    this.#count += 1
    const index = this.#bounds.findIndex((bound) => value <= bound)
    if (index !== -1) this.#counts[index] = (this.#counts[index] ?? 0) + 1
  }

  lines(): readonly string[] {
    let upTo = 0
    return [
      ...head(this.#name, this.#about, 'histogram'),
      ...this.#bounds.map(
        (bound, index) => `${this.#name}_bucket{le="${bound}"} ${(upTo += this.#counts[index] ?? 0)}`,
      ),
      `${this.#name}_bucket{le="+Inf"} ${this.#count}`,
      `${this.#name}_sum ${this.#sum}`,
      `${this.#name}_count ${this.#count}`,
    ]
  }
}

function head(name: string, about: string, type: string): readonly string[] {
  return [`# HELP ${name} ${about}`, `# TYPE ${name} ${type}`]
}

function textOf(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, '_')}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

export class Metrics {
  readonly #started = new Series('dvt_runs_started_total', 'Runs that began here.')
  readonly #completed = new Series('dvt_runs_completed_total', 'Runs that ended here, by how.')
  readonly #retries = new Series('dvt_step_retries_total', 'Attempts that failed and are tried again.')
  readonly #signals = new Series('dvt_signals_received_total', 'Signals over HTTP, by type and answer.')
  readonly #engineErrors = new Series('dvt_adapter_api_errors_total', 'Calls of an engine that failed.')
  readonly #requests = new Series('keelson_http_requests_total', 'Requests, by route and status.')
  /** Asked when the metrics are read. */
  #lagOf: () => number = () => 0
  #inFlightOf: () => number = () => 0
  readonly #runSeconds = new Histogram('dvt_run_completion_duration_seconds', 'From start to end of a run.', SECONDS)
  readonly #stepSeconds = new Histogram('dvt_step_duration_seconds', 'From first start to end of a step.', SECONDS)
  readonly #writeMs = new Histogram('dvt_statestore_write_duration_ms', 'One commit to the store.', MILLISECONDS)
  readonly #requestMs = new Histogram('keelson_http_request_duration_ms', 'From request to answer.', MILLISECONDS)

  /** Counts what happens to the runs of every tenant that this process drives; the returned function ends that. */
  follow(keelson: Keelson): () => void {
    const { projectors, listeners, engine } = partsOf(keelson)
    this.#lagOf = () => projectors.behindEvents()
    this.#inFlightOf = () => engine.drivenRuns
    return listeners.observeBare((told) => this.#count(told))
  }

  #count({ name, event }: BareListenerEvent): void {
    switch (name) {
      case 'execution.started':
        return this.#started.add(1)
      case 'step.retried':
        return this.#retries.add(1)
      case 'step.completed':
        return this.#stepSeconds.record(event.duration / 1_000)
      case 'execution.completed':
        this.#completed.add(1, { status: event.status })
        return this.#runSeconds.record(event.duration / 1_000)
      default:
    }
  }

  written(ms: number): void {
    this.#writeMs.record(ms)
  }

  /** Something failed, for a request or beside them: counted where it was an engine outside this process. */
  failed(thrown: unknown): void {
    if (thrown instanceof KeelsonError && ENGINE_ERRORS.has(thrown.code)) this.#engineErrors.add(1)
  }

  answered(route: string, status: number, ms: number): void {
    this.#requests.add(1, { route, status: String(status) })
    this.#requestMs.record(ms)
  }

  /** A signal came. `answer`: what became of it, or the code of its refusal. */
  async signalled<T extends { readonly kind: string }>(type: string, send: () => Promise<T>): Promise<T> {
    let answer = 'INTERNAL'
    try {
      const sent = await send()
      answer = sent.kind
      return sent
    } catch (thrown) {
      if (thrown instanceof KeelsonError) answer = thrown.code
      throw thrown
    } finally {
      this.#signals.add(1, { type, answer })
    }
  }

  text(): string {
    const counters = [this.#started, this.#completed, this.#retries, this.#signals, this.#engineErrors, this.#requests]
    const inFlight = new Series('dvt_runs_in_flight', 'Runs that this process drives now.')
    inFlight.add(this.#inFlightOf())
    const lag = new Series('dvt_projection_lag_events', 'Events that stored views are behind.')
    lag.add(this.#lagOf())
    const gauges = [inFlight, lag]
    const histograms = [this.#runSeconds, this.#stepSeconds, this.#writeMs, this.#requestMs]
    const lines = [
      ...counters.flatMap((one) => one.lines('counter')),
      ...gauges.flatMap((one) => one.lines('gauge')),
      ...histograms.flatMap((one) => one.lines()),
    ]
    return `${lines.join('\n')}\n`
  }
}
