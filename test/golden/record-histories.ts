/**
 * Records the histories of this version: `node test/golden/record-histories.ts`. A history that is recorded is never recorded
 * again, and only new stories are added; what was written must be read by every later version (A8, I16).
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pair } from '../../src/adapters/stores/memory/connect.ts'
import { sealEvents } from '../../src/app/log/seal.ts'
import { FIRST_PREVIOUS } from '../../src/app/log/event-hashes.ts'
import { hexOf } from '../../src/app/log/sha256.ts'
import { isoFromMs } from '../../src/core/time.ts'
import type { StoredEvent } from '../../src/ports/run-store.ts'
import type { Logged } from '../fixtures/scenario.ts'
import { seededRandom } from '../fixtures/virtual-time.ts'
import { planOf } from '../fixtures/virtual-world.ts'
import { ACTED } from './acted-stories.ts'
import { CORE_STORIES, playCore, type CoreStory } from './core-stories.ts'
import { historyEvent, planOfHistory, recordsOf, resultOf, type HistoryFile } from './history-file.ts'
import { OUTSIDE_STORIES } from './outside-stories.ts'
import { Stage, type Story } from './stage.ts'
import { STORIES } from './stories.ts'

async function played(story: Story): Promise<readonly HistoryFile[]> {
  const world = await new Stage(story).play()
  return world.disk.runs.map((run, index) => {
    const plan = world.disk.plans.get(pair(run.row.tenantId, run.row.planSha256))?.text ?? ''
    return historyOf(index === 0 ? story.name : `${story.name}-${index + 1}`, plan, run.events)
  })
}

/** The decider's own log, sealed as the append path would. */
function told(story: CoreStory): HistoryFile {
  const { plan, text } = planOf(story.plan)
  const random = seededRandom(`golden ${story.name}`)
  const { planId, planVersion } = plan.metadata
  const scope = { tenantId: 'local', projectId: 'default', environmentId: 'local' }
  const identity = { runId: random.uuid(), ...scope, planId, planVersion }
  let previous: Uint8Array = FIRST_PREVIOUS
  const { log } = playCore(story)
  const events = log.map((entry): StoredEvent => {
    const decision = { firstSeq: firstOf(log, entry).seq, cause: entry.cause }
    const sealed = sealEvents({
      identity,
      drafts: [{ draft: entry.draft, decision }],
      firstSeq: entry.seq,
      previousHash: previous,
      emittedAt: isoFromMs(entry.at),
      random,
    })
    previous = sealed.headHash
    return { ...(sealed.events[0] as StoredEvent), persistedAt: entry.at }
  })
  return historyOf(story.name, text, events)
}

function firstOf(log: readonly Logged[], entry: Logged): Logged {
  const before = log.findLastIndex((one) => one.seq < entry.seq && one.cause !== entry.cause)
  return log[before + 1] ?? entry
}

function historyOf(name: string, plan: string, events: readonly StoredEvent[]): HistoryFile {
  const result = resultOf(recordsOf(events), planOfHistory({ plan }))
  const headHash = hexOf(events.at(-1)?.chainHash ?? FIRST_PREVIOUS)
  return { name, plan, events: events.map(historyEvent), headHash, result }
}

function versionOfPackage(): string {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')
  const { version } = JSON.parse(text) as { version: string }
  return version.split('.').slice(0, 2).join('.')
}

async function record(): Promise<void> {
  const folder = join(import.meta.dirname, 'histories', versionOfPackage())
  const isNew = ({ name }: { readonly name: string }): boolean => !existsSync(join(folder, `${name}.json`))
  // A stack names the machine it was taken on.
  Error.stackTraceLimit = 0
  const histories: HistoryFile[] = CORE_STORIES.filter(isNew).map(told)
  for (const story of [...STORIES, ...ACTED, ...OUTSIDE_STORIES].filter(isNew)) histories.push(...(await played(story)))
  mkdirSync(folder, { recursive: true })
  for (const history of histories)
    writeFileSync(join(folder, `${history.name}.json`), `${JSON.stringify(history, undefined, 1)}\n`)
  process.stdout.write(`${histories.length} histories recorded in ${folder}\n`)
}

await record()
