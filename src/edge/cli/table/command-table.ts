/** The table of commands: help, completion, the parser and the tests all read this one list. */
import { ASKING_COMMANDS } from './asking-commands.ts'
import { CLOCKWORK_COMMANDS } from './clockwork-commands.ts'
import { FEED_COMMANDS } from './feed-commands.ts'
import { FLEET_COMMANDS } from './fleet-commands.ts'
import { ENGINE_COMMANDS } from './engine-commands.ts'
import { PLAN_COMMANDS } from './plan-commands.ts'
import { LOOKING_COMMANDS } from './looking-commands.ts'
import { DRIVING_COMMANDS } from './run-commands.ts'
import type { Section, Spec } from '../terminal/command-spec.ts'
import { SERVER_COMMANDS } from './server-commands.ts'
import { MAINTENANCE_COMMANDS } from './maintenance-commands.ts'

export const SECTIONS: readonly Section[] = [
  { title: 'Plans:', commands: PLAN_COMMANDS },
  { title: 'Runs:', commands: DRIVING_COMMANDS },
  { title: 'Inspect:', commands: LOOKING_COMMANDS },
  { title: 'Server:', commands: SERVER_COMMANDS },
  { title: 'Of a server:', commands: ASKING_COMMANDS },
  { title: 'Schedules:', commands: CLOCKWORK_COMMANDS },
  { title: 'Many runs:', commands: FLEET_COMMANDS },
  { title: 'Feed:', commands: FEED_COMMANDS },
  { title: 'Engines:', commands: ENGINE_COMMANDS },
  { title: 'Maintain:', commands: MAINTENANCE_COMMANDS },
]

export const COMMANDS: readonly Spec[] = SECTIONS.flatMap(({ commands }) => commands)
