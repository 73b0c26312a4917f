/** Whoever works in a terminal can do what the page and programs can: every route is asked by a command, or says why it has none. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { filesUnder } from '../../scripts/repository.ts'
import { ROOT } from '../../scripts/terminal.ts'
import { ROUTES } from '../../src/core/api/routes.ts'

const FOR_PROBES = 'probes and scrapers ask it, and a person with curl; `doctor` is for the machine of a server'
const FOR_WORKERS = 'the client of a remote worker asks it, again and again; a worker is a program'
const FOR_BROWSERS = 'the browser of a person goes there; `keelson login` is the way of the command line'
const FOR_THE_PAGE = 'the page asks it while somebody looks or types; a command would only repeat it once'
const OF_THE_PAGE = 'a saved filter of the page; a command line has its shell'
const BY_THE_LOG = 'the command makes the same of the events of the runs, which it asks for'
const BY_THE_FILE =
  '`plan graph` draws files, `plan diff` compares what it reads of plans, and `events` has the plan of a run'

const WITHOUT: Readonly<Record<string, string>> = {
  getHealth: FOR_PROBES,
  getReadiness: FOR_PROBES,
  getMetrics: FOR_PROBES,
  getOpenApi: 'for programs that make a client of it; it is also a file of the package',
  beginLogin: FOR_BROWSERS,
  finishLogin: FOR_BROWSERS,
  logout: 'ends the session of a browser; `keelson logout` has the issuer end its own',
  claimWork: FOR_WORKERS,
  heartbeatWork: FOR_WORKERS,
  reportWork: FOR_WORKERS,
  deliver: 'other programs deliver there, with their signature',
  listViews: OF_THE_PAGE,
  saveView: OF_THE_PAGE,
  removeView: OF_THE_PAGE,
  removeSharedView: OF_THE_PAGE,
  streamTenant: FOR_THE_PAGE,
  tryExpression: FOR_THE_PAGE,
  previewSchedule: FOR_THE_PAGE,
  listWork: 'the page lists it under Engines; `why` says of one step that no worker asks for it',
  executeWorkflow: 'another spelling of startExecution, which `run` asks',
  getPlanGraph: BY_THE_FILE,
  diffPlanVersions: BY_THE_FILE,
  getJournal: BY_THE_LOG,
  listSignals: BY_THE_LOG,
  getSignal: BY_THE_LOG,
  listAlerts: BY_THE_LOG,
  explainExecution: '`why` asks for one step after the other, and shows those that have not ended',
  cancelExecution: '`cancel` sends the signal CANCEL, which is the same and can name its id',
  getTask: '`tasks` lists what it says, but for the schema of the result, which the completion is checked by',
  getArtifact: 'bytes of any size and kind for a file or a program: curl with the key fetches them',
  updateSchedule: 'a schedule is removed and made anew; the page edits it in place',
}

/** What a command asks by a method of the client. */
const BY_METHOD: Readonly<Record<string, RegExp>> = {
  whoAmI: /client\.me\(\)/,
  startExecution: /client\.start\(/,
  publishPlan: /client\.publish\(/,
  listPlans: /client\.plans\(\)/,
  listTasks: /client\.tasks\(/,
  completeTask: /client\.complete\(/,
  explainStep: /#execution\.why\(/,
  getSnapshot: /#execution\.snapshot\(/,
  sendSignal: /#execution\.signal\(/,
  forkExecution: /#execution\.fork\(/,
  getBundle: /\.run\(.*\)\.bundle\(\)/,
  streamExecution: /\.run\(.*\)\.events\(/,
}

const text = filesUnder('src/edge/cli')
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .join('\n')

const isAsked = (id: string): boolean =>
  new RegExp(`\\bcall\\b[\\s(,]{1,20}'${id}'`).test(text) || BY_METHOD[id]?.test(text) === true

it('every route is asked by a command, or is on the list of those that have none, with the reason', () => {
  expect(ROUTES.map(({ id }) => id).filter((id) => !isAsked(id) && WITHOUT[id] === undefined)).toEqual([])
})

it('the list names only routes that are there and that no command asks', () => {
  const known = new Set(ROUTES.map(({ id }) => id))
  expect(Object.keys(WITHOUT).filter((id) => !known.has(id) || isAsked(id))).toEqual([])
  expect(Object.keys(BY_METHOD).filter((id) => !known.has(id) || !isAsked(id))).toEqual([])
  expect(Object.values(WITHOUT).filter((why) => why.length < 30)).toEqual([])
})
