/**
 * Records the Temporal histories of this version: `node test/golden/record-temporal.ts [name …]`. Against a real server; what
 * is recorded is replayed by every later workflow bundle, so a file that is there stays as it is (TMP-04).
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { loadPlan } from '../../src/main.ts'
import { temporalWorld } from '../fixtures/temporal-world.ts'
import { until } from '../fixtures/until.ts'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'
import { CHILD_PLAN, isOver, ROTATE_AT_STEPS, storySteps, TEMPORAL_STORIES, type TemporalStory } from './temporal-stories.ts'

const FOLDER = join(import.meta.dirname, 'temporal')
/** What names the machine, the process or a path on it; replay reads none of them. */
const PRIVATE = new Set(['identity', 'binaryChecksum', 'stackTrace', 'requestId', 'lastHeartbeatDetails'])

/** The queue of one worker alone, named after its process and its machine. */
const STICKY = /^\d+@/

/** Plain data that protobuf takes as it is: whole numbers for its long ones, base64 for bytes; nothing that is not set. */
function plain(value: unknown): unknown {
  if (typeof value === 'string') return STICKY.test(value) ? 'sticky' : value
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if ('toNumber' in value && typeof value.toNumber === 'function') return (value as { toNumber(): number }).toNumber()
  if (Array.isArray(value)) return value.map(plain)
  const kept = Object.entries(value).filter(([name, one]) => !PRIVATE.has(name) && one !== null && one !== undefined)
  return Object.fromEntries(kept.map(([name, one]) => [name, plain(one)]))
}

/** Every execution of every workflow that the server has. */
async function historiesOf(server: TemporalServer): Promise<readonly unknown[]> {
  const connection = await Connection.connect({ address: server.address })
  const { workflow } = new Client({ connection })
  const histories: { readonly workflowId: string; readonly history: unknown }[] = []
  for await (const { workflowId, runId } of workflow.list())
    histories.push({ workflowId, history: plain(await workflow.getHandle(workflowId, runId).fetchHistory()) })
  await connection.close()
  return histories.reverse()
}

async function record(story: TemporalStory): Promise<void> {
  const server = await startTemporal()
  const gate = Promise.withResolvers<void>()
  const world = await temporalWorld(server.address, storySteps(gate.promise), { rotation: { steps: ROTATE_AT_STEPS } })
  try {
    await world.keelson.publish(loadPlan(CHILD_PLAN))
    const run = await world.start(story.plan, story.input)
    await story.act?.(run, { world, open: gate.resolve })
    await until(() => isOver(run))
    await until(() => !server.command('workflow', 'describe', '--workflow-id', run.runId, '--output', 'json').includes('STATUS_RUNNING'))
    const histories = await historiesOf(server)
    writeFileSync(join(FOLDER, `${story.name}.json`), `${JSON.stringify(histories)}\n`)
    process.stdout.write(`${story.name}: ${histories.length} histories\n`)
  } finally {
    gate.resolve()
    await world.close()
    await server.stop()
  }
}

Error.stackTraceLimit = 0
mkdirSync(FOLDER, { recursive: true })
const asked = process.argv.slice(2)
for (const story of TEMPORAL_STORIES) {
  if (existsSync(join(FOLDER, `${story.name}.json`)) && !asked.includes(story.name)) continue
  await record(story)
}
