/**
 * What plans may do outside when a person runs them here: start programs in the plan's folder unless that is off, reach
 * public addresses and named hosts, and read the variables made for them and named ones. The names are stored with the
 * run, so that `resume` and `fork` know them. A lock is different: it is in the run's log.
 */
import { dirname } from 'node:path'
import { secretName } from '../../../app/plans/reach.ts'
import { lockFrom, type Allowed } from '../../../app/plans/run-lock.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { OpenOptions } from '../../../main.ts'
import type { Options } from '../terminal/command.ts'
import type { Source } from '../files/sources.ts'

type Outside = Pick<OpenOptions, 'commands' | 'egress' | 'environmentSecrets'>

export function allowedHosts(options: Options, source?: Source): readonly string[] {
  return [...new Set([...(source?.allow ?? []), ...options.list('allowHost')])]
}

export function allowedSecrets(options: Options, source?: Source): readonly string[] {
  return [...new Set([...(source?.secrets ?? []), ...options.list('allowSecret').map(secretName)])]
}

export function outside(options: Options, source: Source | undefined): Outside {
  const secrets = allowedSecrets(options, source)
  const isOff = options.isOff('commands') || areOff(process.env['KEELSON_COMMANDS'])
  return {
    commands: isOff ? false : source === undefined ? true : { cwd: dirname(source.plan) },
    egress: { allow: allowedHosts(options, source) },
    environmentSecrets: secrets.includes('*') ? true : secrets.map((name) => name.replace(/^env\//, '')),
  }
}

/** A safety switch accepts only these words: an unknown word must not leave the door open. */
function areOff(said = ''): boolean {
  const word = said.trim().toLowerCase()
  if (['off', 'no', 'false', '0'].includes(word)) return true
  if (['', 'on', 'yes', 'true', '1'].includes(word)) return false
  return fail('USAGE', `KEELSON_COMMANDS is 'on' or 'off', not '${said}'`)
}

const ONLY_LOCKED: readonly (readonly [name: string, flag: string])[] = [
  ['allowProgram', '--allow-program'],
  ['allowEnv', '--allow-env'],
  ['allowPlan', '--allow-plan'],
  ['allowCode', '--allow-code'],
  ['allowIrreversible', '--allow-irreversible'],
]

/** What `--locked` leaves open; undefined without it, where such names would look like a lock that does not exist. */
export function lockOf(options: Options): ReturnType<typeof lockFrom> | undefined {
  if (!options.flag('locked')) {
    const [, flag] = ONLY_LOCKED.find(([name]) => options.flag(name) || options.list(name).length > 0) ?? []
    return flag === undefined ? undefined : fail('USAGE', `${flag} goes with --locked; without it all of them are open`)
  }
  const allowed: Allowed = {
    hosts: options.list('allowHost'),
    programs: options.list('allowProgram'),
    variables: options.list('allowEnv'),
    secrets: options.list('allowSecret'),
    plans: options.list('allowPlan'),
    code: options.flag('allowCode'),
    irreversible: options.flag('allowIrreversible'),
  }
  return lockFrom(allowed)
}
