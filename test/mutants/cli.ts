/**
 * `npm run mutants [-- --json] [--seed S] [name …]`: plants each fault of the catalogue and prints how many the simulator
 * caught, as `{ planted, caught, survived }` with the survivors by name. A survivor fails the command.
 */
import { MUTANTS } from './catalogue.ts'
import { huntAll, type Verdict } from './plant.ts'

const DEFAULTS = { histories: 2500, crashPlans: 12, timeoutMs: 120_000 }

function told({ name, caught, by, ms }: Verdict): string {
  return `${caught ? '✔' : '✖'} ${name}  (${ms} ms)\n    ${by}`
}

async function main(args: readonly string[]): Promise<number> {
  const seedAt = args.indexOf('--seed')
  const seed = seedAt < 0 ? 1 : Number(args[seedAt + 1])
  const names = args.filter((arg, index) => !arg.startsWith('--') && (seedAt < 0 || index !== seedAt + 1))
  const chosen = MUTANTS.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)))
  const verdicts = await huntAll(chosen, { ...DEFAULTS, seed }, 2)
  const survivors = verdicts.filter(({ caught }) => !caught).map(({ name }) => name)
  const report = {
    planted: verdicts.length,
    caught: verdicts.length - survivors.length,
    survived: survivors.length,
    survivors,
    seed,
  }
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify(report)}\n`)
  else
    process.stdout.write(
      `${verdicts.map(told).join('\n')}\n${report.caught} of ${report.planted} planted faults caught (seed ${seed})\n`,
    )
  return survivors.length === 0 ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
