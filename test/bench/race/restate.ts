/**
 * Restate: its server (a log of its own, synced) as a process beside, its TypeScript SDK and who starts the runs in this one. Memory and
 * processor time are of this process alone. The server asks for newer versions of itself far away; here it is led to a closed door.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../../src/adapters/processes/free-port.ts'
import { AT_ONCE, CHAIN_STEPS, FAN_STEPS, TEN, type Contender, type Work } from './contender.ts'
import { importPeer, programOf } from './peers.ts'

interface Context {
  run(name: string, work: Work): Promise<number>
}

type Handler = (context: Context) => Promise<number>

/** What the race uses of the package, which is not a dependency of ours. */
interface Restate {
  service(spec: { readonly name: string; readonly handlers: Readonly<Record<string, Handler>> }): unknown
  serve(options: { readonly services: readonly unknown[]; readonly port: number }): Promise<number>
  readonly RestatePromise: { all(runs: readonly Promise<number>[]): Promise<readonly number[]> }
}

const READY_MS = 60_000
const READY_STEP_MS = 100
const CLOSED_DOOR = 'http://127.0.0.1:9'

export async function restateOnItsLog(place: string, work: Work): Promise<Contender> {
  // A line for each start would be measured, too.
  process.env['RESTATE_LOGGING'] = 'ERROR'
  const restate = await importPeer<Restate>('@restatedev/restate-sdk')
  const [ingress, admin, node, own] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const server = spawn(programOf('@restatedev/restate-sdk', 'restate-server'), [], {
    stdio: 'ignore',
    env: {
      ...process.env,
      HTTPS_PROXY: CLOSED_DOOR,
      HTTP_PROXY: CLOSED_DOOR,
      NO_PROXY: '127.0.0.1',
      DO_NOT_TRACK: '1',
      RESTATE_BASE_DIR: join(place, 'restate'),
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    },
  })
  const chained =
    (steps: number): Handler =>
    async (context) => {
      for (let index = 0; index < steps; index += 1) await context.run(`step-${index}`, work)
      return steps
    }
  const parallel: Handler = async (context) => {
    const steps = Array.from({ length: FAN_STEPS }, (_, index) => context.run(`step-${index}`, work))
    return (await restate.RestatePromise.all(steps)).length
  }
  const handlers = { oneStep: chained(1), tenSteps: chained(TEN), chain: chained(CHAIN_STEPS), fan: parallel }
  await restate.serve({ services: [restate.service({ name: 'race', handlers })], port: own })
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE * 2 })
  await whenReady(() => post(agent, `http://127.0.0.1:${admin}/deployments`, { uri: `http://127.0.0.1:${own}` }))
  const call = (handler: keyof typeof handlers) => () => post(agent, `http://127.0.0.1:${ingress}/race/${handler}`)
  return {
    oneStep: call('oneStep'),
    tenSteps: call('tenSteps'),
    chain: call('chain'),
    fan: call('fan'),
    close: async () => {
      agent.destroy()
      const gone = once(server, 'exit')
      server.kill()
      await gone
      // Its endpoint cannot be closed.
      setImmediate(() => process.exit())
    },
  }
}

async function whenReady(register: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + READY_MS
  for (;;) {
    try {
      await register()
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await pause(READY_STEP_MS)
  }
}

function post(agent: Agent, url: string, body?: object): Promise<string> {
  const text = body === undefined ? '' : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const asked = request(url, { method: 'POST', agent, headers }, (answer) => {
      let said = ''
      answer.setEncoding('utf8').on('data', (part: string) => (said += part))
      answer.on('end', () => {
        if ((answer.statusCode ?? 500) < 300) resolve(said)
        else reject(new Error(`Restate answered ${answer.statusCode}: ${said}`))
      })
    })
    asked.on('error', reject).end(text)
  })
}
