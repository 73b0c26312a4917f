/**
 * What plans may do outside when a person runs them here: start programs in the plan's folder, and reach public addresses
 * and the hosts that were named (DESIGN §8). Named hosts are kept with the run, so that `resume` and `fork` know them.
 */
import { dirname } from 'node:path'
import type { OpenOptions } from '../../main.ts'
import type { Options } from './command.ts'
import type { Source } from './sources.ts'

export function allowedHosts(options: Options, source?: Source): readonly string[] {
  return [...new Set([...(source?.allow ?? []), ...options.list('allowHost')])]
}

export function outside(options: Options, source: Source | undefined): Pick<OpenOptions, 'commands' | 'egress'> {
  return {
    commands: source === undefined ? true : { cwd: dirname(source.plan) },
    egress: { allow: allowedHosts(options, source) },
  }
}
