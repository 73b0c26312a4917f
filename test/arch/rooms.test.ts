/**
 * The rooms of the house: folders of one layer, in an order. A file imports from its own room, from rooms above it and from the
 * files that lie loose beside the rooms, never from a room below. ARCHITECTURE.md says what each room is for.
 */
import { expect, it } from 'vitest'
import { isTestFile, productFiles } from '../../scripts/repository.ts'
import { productImports, type Import } from './source.ts'

interface House {
  /** From the first that a reader meets to the last. */
  readonly rooms: readonly string[]
  /** Files beside the rooms that every room may import. */
  readonly given: readonly string[]
  /** Files beside the rooms that may import every room, and that no room imports. */
  readonly doors: readonly string[]
}

const HOUSES: Readonly<Record<string, House>> = {
  'src/app': {
    rooms: [
      'identity',
      'log',
      'redact',
      'commit',
      'schemas',
      'expressions',
      'grants',
      'plans',
      'sources',
      'values',
      'deaths',
      'loaded',
      'inbox',
      'work',
      'signals',
      'admission',
      'advance',
      'project',
      'views',
      'past',
      'execute',
      'workers',
      'feed',
      'alerts',
      'receipts',
      'audit',
      'rederive',
      'taken',
      'sides',
      'verify',
      'archive',
      'start',
      'steer',
      'engines',
      'operations',
      'schedules',
      'triggers',
      'fleet',
      'import',
      'conformance',
    ],
    given: ['services', 'principal'],
    doors: [],
  },
  'src/core/plan': {
    rooms: ['read', 'format', 'compile', 'write', 'import'],
    given: ['plan', 'plan-limits', 'secret-names'],
    doors: [],
  },
  'src/core/run': {
    rooms: ['state', 'failure', 'people', 'compensation', 'signals', 'explain', 'fork', 'evolve', 'proceed', 'decide'],
    given: ['input', 'draft', 'effect', 'fold-event'],
    doors: ['summary', 'open-effects'],
  },
  'src/core/view': { rooms: ['fold', 'project', 'show'], given: [], doors: [] },
  'src/edge/cli': {
    rooms: [
      'terminal',
      'scan',
      'progress',
      'output',
      'files',
      'login',
      'remote',
      'open',
      'plans',
      'shown',
      'drive',
      'afar',
      'serve',
      'doctor',
      'commands',
      'table',
    ],
    given: [],
    doors: ['main', 'program'],
  },
  'src/edge/http': {
    rooms: ['wire', 'who', 'login', 'defence', 'page', 'serve', 'stream', 'routes'],
    given: [],
    doors: ['server'],
  },
  'src/library': {
    rooms: ['plans', 'tell', 'read', 'act', 'keelson', 'behalf', 'clockwork'],
    given: ['parts', 'option-names', 'run-options', 'services-of'],
    doors: [],
  },
  'src/adapters/engines/temporal': {
    rooms: ['sandbox', 'client', 'worker'],
    given: [],
    doors: ['engine', 'caretaker'],
  },
  'src/testing': { rooms: ['store', 'steps'], given: [], doors: [] },
}

/** Rooms that are entered through one file: what else is in them may change with nobody outside noticing. */
const FRONTS: Readonly<Record<string, string>> = {
  'src/core/run/evolve': 'src/core/run/evolve/evolve.ts',
  'src/core/run/decide': 'src/core/run/decide/decide.ts',
}

/** Rooms that hold many things of one kind: a reader looks one up by its name and does not read the room. */
const OF_ONE_KIND = ['src/edge/cli/commands', 'src/edge/http/routes', 'src/testing/store']
const MOST_FILES = 16

function houseOf(path: string): string | undefined {
  return Object.keys(HOUSES).find((folder) => path.startsWith(`${folder}/`))
}

/** The room, or `given`, or `door`; undefined when the file has no place. */
function placeOf(folder: string, path: string): string | undefined {
  const house = HOUSES[folder] as House
  const [first = '', ...rest] = path.slice(folder.length + 1).split('/')
  if (rest.length > 0) return house.rooms.includes(first) ? first : undefined
  const name = first.replace(/(\.test)?\.ts$/, '')
  if (house.given.includes(name)) return 'given'
  return house.doors.includes(name) ? 'door' : undefined
}

/** Types count as well: a file that names a type of a room below cannot be read without it. */
function breaksOrder({ from, to }: Pick<Import, 'from' | 'to'>): boolean {
  const folder = houseOf(from)
  if (folder === undefined || houseOf(to) !== folder) return false
  const [here, there] = [placeOf(folder, from), placeOf(folder, to)]
  if (here === undefined || there === undefined) return true
  if (here === 'door' || there === 'given') return false
  if (there === 'door') return true
  // What is given to all lies beside the rooms because it names types of several.
  if (here === 'given') return false
  const { rooms } = HOUSES[folder] as House
  return rooms.indexOf(there) > rooms.indexOf(here)
}

function passesFront({ from, to }: Pick<Import, 'from' | 'to'>): boolean {
  const room = Object.keys(FRONTS).find((folder) => to.startsWith(`${folder}/`))
  return room !== undefined && !from.startsWith(`${room}/`) && to !== FRONTS[room]
}

it('every file of a house with rooms has its room', () => {
  const homeless = productFiles().filter((path) => {
    const folder = houseOf(path)
    return folder !== undefined && placeOf(folder, path) === undefined
  })
  expect(homeless).toEqual([])
})

it('no room imports a room below it', () => {
  const broken = productImports().filter((item) => !item.external && breaksOrder(item))
  expect(broken.map((item) => `${item.at} imports ${item.to}`)).toEqual([])
})

it('the order of rooms tells a forbidden import from an allowed one', () => {
  expect(breaksOrder({ from: 'src/app/log/seal.ts', to: 'src/app/advance/advance-run.ts' })).toBe(true)
  expect(breaksOrder({ from: 'src/app/advance/advance-run.ts', to: 'src/app/log/seal.ts' })).toBe(false)
  expect(breaksOrder({ from: 'src/app/log/seal.ts', to: 'src/app/services.ts' })).toBe(false)
  expect(breaksOrder({ from: 'src/app/log/seal.ts', to: 'src/core/plan/plan.ts' })).toBe(false)
  expect(breaksOrder({ from: 'src/core/run/explain/explain.ts', to: 'src/core/run/decide/decide.ts' })).toBe(true)
  expect(breaksOrder({ from: 'src/core/run/decide/decide.ts', to: 'src/core/run/evolve/evolve.ts' })).toBe(false)
  expect(breaksOrder({ from: 'src/edge/cli/commands/run.ts', to: 'src/edge/cli/main.ts' })).toBe(true)
  expect(breaksOrder({ from: 'src/app/attic/old.ts', to: 'src/app/log/seal.ts' })).toBe(true)
})

it('a room with a front is entered through it', () => {
  const around = productImports().filter((item) => !item.external && passesFront(item))
  expect(around.map((item) => `${item.at} imports ${item.to}`)).toEqual([])
  const from = 'src/core/run/proceed/workspace.ts'
  expect(passesFront({ from, to: 'src/core/run/evolve/steps.ts' })).toBe(true)
  expect(passesFront({ from, to: 'src/core/run/evolve/evolve.ts' })).toBe(false)
})

it('a room has about sixteen files at most, unless they are all of one kind', () => {
  const sizes = new Map<string, number>()
  for (const path of productFiles()) {
    const folder = houseOf(path)
    if (folder === undefined || isTestFile(path)) continue
    const room = path.slice(0, path.lastIndexOf('/'))
    if (room !== folder) sizes.set(room, (sizes.get(room) ?? 0) + 1)
  }
  const crowded = [...sizes].filter(([room, files]) => files > MOST_FILES && !OF_ONE_KIND.includes(room))
  expect(crowded).toEqual([])
})
