/** `keelson serve`: the plans and functions of a folder behind one HTTP door, until it is asked to stop. */
import { randomUUID } from 'node:crypto'
import { withApproval } from '../../../app/identity/with-approval.ts'
import { roleRules } from '../../../app/identity/role-rules.ts'
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import { openServerStore } from '../../../compose/open-store.ts'
import { projectHandlers, type ProjectHandlers } from '../../../compose/project-handlers.ts'
import type { Duty } from '../../../core/config/settings.ts'
import { openClockwork, type Clockwork } from '../../../library/clockwork/clockwork.ts'
import type { Keelson } from '../../../library/keelson/keelson.ts'
import { storeOf } from '../../../library/services-of.ts'
import { openKeelson, type OpenOptions } from '../../../main.ts'
import { pageFiles } from '../../http/page/page-files.ts'
import type { Authorizer } from '../../../ports/authorizer.ts'
import { Metrics } from '../../http/serve/metrics.ts'
import { openServer, type OpenServer } from '../../http/server.ts'
import { needKeys, placeName, storeUrl } from '../files/place.ts'
import { tellProblems } from '../output/problems.ts'
import { isLocal, needAuthentication, whoOf } from '../serve/authentication.ts'
import { alertsOf } from '../serve/alerts.ts'
import { configOf, type Config } from '../serve/config.ts'
import { engineOf } from '../serve/engine.ts'
import { openLogin } from '../serve/open-login.ts'
import { FolderPlans } from '../serve/folder-plans.ts'
import { printConfig } from '../serve/print-config.ts'
import { readProject, type Project } from '../serve/project.ts'
import { requestLog } from '../serve/request-log.ts'
import { endsInTime, stopAsked } from '../serve/stop.ts'
import { watchProject, type ProjectWatch } from '../serve/watch-project.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { plural } from '../terminal/format.ts'
import type { Terminal } from '../terminal/terminal.ts'

export async function serve(call: Call): Promise<number> {
  return serveFolder(call, false)
}

export async function serveFolder({ args, options, terminal }: Call, dev: boolean): Promise<number> {
  const folder = args[0] ?? '.'
  const config = configOf(options, folder)
  if (options.flag('printConfig')) {
    printConfig(config, options, terminal)
    return EXIT.completed
  }
  needAuthentication(config)
  const project = await readProject(folder)
  tellBroken(project, options, terminal)
  const steps = handlersFor(project, config, dev)
  const { handlers } = steps
  const metrics = new Metrics()
  const duties = config.get('duties') as readonly Duty[]
  const keelson = await openFor(config, {
    handlers,
    replaceVersion: dev,
    drives: duties.includes('engine'),
    follows: followsBy(duties),
    onWritten: (ms) => metrics.written(ms),
    environmentSecrets: config.get('environmentSecrets'),
    receipts: config.get('receipts'),
    ...alertsOf(config, options, terminal),
    ...(await engineOf(config)),
  })
  const clockwork = duties.includes('clockwork')
    ? openClockwork(keelson, { authorizer: authorizerOf(config) })
    : undefined
  let server: OpenServer | undefined
  let edits: ProjectWatch | undefined
  try {
    const plans = folderPlans(keelson, project, dev, terminal)
    server = await listen({ keelson, clockwork, metrics, config, plans, dev, options, terminal })
    edits = dev ? watchEdits({ folder, steps, plans, options, terminal }) : undefined
    tellReady(server, project, config, options, terminal)
    tellStopping(await stopAsked(), inJson(config, options), terminal)
  } finally {
    edits?.close()
    const isDone = await endsInTime(async () => {
      await server?.close()
      await clockwork?.close()
      await keelson.close()
    })
    if (!isDone) terminal.errorLine('not everything ended in time: what is left is taken over by another process')
  }
  if (inJson(config, options)) terminal.json({ server: 'stopped' })
  return EXIT.completed
}

/** A process that drives nothing follows the runs of those that do. */
function followsBy(duties: readonly Duty[]): boolean | 'all' {
  if (!duties.includes('followers')) return false
  return duties.includes('engine') ? true : 'all'
}

function handlersFor(project: Project, config: Config, dev: boolean): ProjectHandlers {
  return projectHandlers(project.steps, {
    egress: { allow: config.get('egress.allow'), only: config.get('egress.only') },
    // Programs are started on a developer's own machine; a server starts none unless it is told to.
    commands: config.get('commands') ?? dev,
  })
}

async function openFor({ place }: Config, opening: OpenOptions): Promise<Keelson> {
  const keysDirectory = needKeys(place)
  const url = storeUrl(place)
  return openKeelson({
    ...opening,
    directory: place.dir,
    smallHeap: true,
    heapGrowsWhenBusy: true,
    ...(keysDirectory === undefined ? {} : { keysDirectory }),
    ...(url === undefined ? {} : { store: await openServerStore(url, { mustExist: false }) }),
  })
}

function folderPlans(keelson: Keelson, { plans }: Project, dev: boolean, terminal: Terminal): FolderPlans {
  return new FolderPlans({
    keelson,
    plans,
    replaceVersion: dev,
    onRefused: ({ path }, error) => terminal.errorLine(`${path} is not served: ${error.message}`),
  })
}

interface Edited {
  readonly folder: string
  readonly steps: ProjectHandlers
  readonly plans: FolderPlans
  readonly options: Options
  readonly terminal: Terminal
}

/** What is saved is served, and what is wrong with it is told. */
function watchEdits({ folder, steps, plans, options, terminal }: Edited): ProjectWatch {
  return watchProject({
    folder,
    handlers: steps,
    onRead: async (project) => {
      tellBroken(project, options, terminal)
      plans.replace(project.plans)
      await plans.publishFor(LOCAL_PRINCIPAL.tenantId)
      const { length } = project.problems
      if (options.json) terminal.json({ server: 'reloaded', plans: project.plans.length, problems: length })
      else if (length > 0) terminal.line(`saved with problems: ${plural(length, 'file')} served as before`)
      else terminal.line(terminal.paint.dim(`saved: ${plural(project.plans.length, 'plan')} served`))
    },
    onProblem: (thrown) => tellProblems(terminal, thrown, options),
  })
}

interface Listening {
  readonly keelson: Keelson
  readonly clockwork: Clockwork | undefined
  readonly metrics: Metrics
  readonly config: Config
  readonly plans: FolderPlans
  readonly dev: boolean
  readonly options: Options
  readonly terminal: Terminal
}

async function listen(listening: Listening): Promise<OpenServer> {
  const { keelson, clockwork, metrics, config, plans, dev, options, terminal } = listening
  if (isLocal(config)) await plans.publishFor(LOCAL_PRINCIPAL.tenantId)
  const login = await openLogin(config, keelson)
  return openServer({
    keelson,
    clockwork,
    page: pageFiles(),
    duties: config.get('duties') as readonly Duty[],
    metrics,
    dev,
    host: config.get('host'),
    port: config.get('port'),
    hosts: config.get('hosts'),
    origins: config.get('origins'),
    trustProxy: config.get('trustProxy'),
    limits: {
      perPrincipal: config.get('limits.ratePerMinute.principal'),
      perTenant: config.get('limits.ratePerMinute.tenant'),
      perAddress: config.get('limits.ratePerMinute.address'),
      connections: config.get('limits.connections'),
    },
    streams: { perPrincipal: config.get('limits.streamsPerPrincipal') },
    login,
    who: plans.for(whoOf(config, storeOf(keelson), login, dev)),
    authorizer: authorizerOf(config),
    now: Date.now,
    uuid: randomUUID,
    ...requestLog(config.get('log'), inJson(config, options), terminal),
  })
}

/** Whoever reads the log by machine gets nothing else on the same output. */
function inJson(config: Config, options: Options): boolean {
  return options.json || config.get('log') === 'json'
}

/** One for requests and for what is sent later in somebody's name. */
function authorizerOf(config: Config): Authorizer {
  return withApproval(roleRules({ uuid: randomUUID }), config.get('signals.approvalFor'))
}

function tellBroken({ problems }: Project, options: Options, terminal: Terminal): void {
  for (const { error } of problems) tellProblems(terminal, error, options)
}

function tellReady(
  { url }: OpenServer,
  { plans }: Project,
  config: Config,
  options: Options,
  terminal: Terminal,
): void {
  if (inJson(config, options)) return terminal.json({ server: 'ready', url, plans: plans.length, pid: process.pid })
  const { bold, dim, cyan } = terminal.paint
  const where = `${plural(plans.length, 'plan')}, runs in ${placeName(config.place)}`
  terminal.line(`${bold('keelson')} is ready at ${cyan(url)}   ${dim(where)}`)
}

function tellStopping(signal: string, isJson: boolean, terminal: Terminal): void {
  if (isJson) terminal.json({ server: 'stopping', signal })
  else terminal.line(`${signal}: what is under way may end; again stops at once`)
}
