/**
 * The file that runs in a separate thread or process: it takes one call, loads the module of the step functions, runs
 * the function and sends the result. The functions of the context are called over the wire.
 */
import { parentPort } from 'node:worker_threads'
import { namedFunctions } from '../../core/plan/compile/named-functions.ts'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import { strayError } from '../../core/problems/stray-error.ts'
import { errorOfWire, wireError, type FromFunction, type ToFunction, type WireValue } from './wire.ts'

type Call = Extract<ToFunction, { kind: 'call' }>
type Answer = Extract<ToFunction, { kind: 'answer' }>

const controller = new AbortController()
const asked = new Map<number, (answer: Answer) => void>()
const send = (message: FromFunction): void => {
  if (parentPort === null) process.send?.(message)
  else parentPort.postMessage(message, [])
}

/** The last message; the host ends with it, even if the module keeps something open. */
function close(message: FromFunction): void {
  if (parentPort === null) process.send?.(message, () => process.exit())
  else {
    parentPort.postMessage(message, [])
    process.exit()
  }
}

function take(message: ToFunction): void {
  if (message.kind === 'abort') controller.abort(errorOfWire(message.reason))
  else if (message.kind === 'call') void answer(message)
  else {
    asked.get(message.id)?.(message)
    asked.delete(message.id)
  }
}

async function answer(call: Call): Promise<void> {
  try {
    const functions = namedFunctions((await import(call.module)) as Readonly<Record<string, unknown>>)
    const run = Object.hasOwn(functions, call.name) ? functions[call.name] : undefined
    if (run === undefined) throw new KeelsonError([problem('NO_HANDLER', `${call.module} has no '${call.name}'`)])
    const context = Object.defineProperty(remote(call.context, []), 'signal', { value: controller.signal })
    const output: unknown = await Reflect.apply(run, undefined, [call.input, context])
    close({ kind: 'done', output })
  } catch (thrown) {
    close({ kind: 'failed', error: wireError(thrown) })
  }
}

function remote(fields: Readonly<Record<string, WireValue>>, path: readonly string[], hidden = false): object {
  const built = {}
  for (const [key, wired] of Object.entries(fields)) {
    const enumerable = !hidden && wired.kind !== 'refused'
    Object.defineProperty(built, key, { get: () => remoteValue(wired, [...path, key]), enumerable })
  }
  return built
}

function remoteValue(wired: WireValue, path: readonly string[]): unknown {
  if (wired.kind === 'value') return wired.value
  if (wired.kind === 'refused') throw errorOfWire(wired.error)
  if (wired.kind === 'object') return remote(wired.fields, path, wired.hidden)
  return (...args: unknown[]) => ask(path, args)
}

let questions = 0

function ask(path: readonly string[], args: readonly unknown[]): Promise<unknown> {
  questions += 1
  const id = questions
  return new Promise((resolve, reject) => {
    asked.set(id, ({ value, error }) => (error === undefined ? resolve(value) : reject(errorOfWire(error))))
    send({ kind: 'ask', id, path, args })
  })
}

/** Everything here belongs to this one call: an uncaught error is its failure. */
function failStray(thrown: unknown): void {
  close({ kind: 'failed', error: wireError(strayError(thrown)) })
}

process.on('uncaughtException', failStray)
process.on('unhandledRejection', failStray)

if (parentPort === null) {
  process.on('message', take)
  // The process that asked for the call is gone, and nobody waits for the result.
  process.on('disconnect', () => process.exit())
} else parentPort.on('message', take)
