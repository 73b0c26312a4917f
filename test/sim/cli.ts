/**
 * `npm run sim`: explores N histories, crashes K small plans at every store call, and says what it met. Violations or a
 * vacuous run fail the command; each failing history is printed cut down, with the command that plays it again.
 */
import { crashEverywhere } from './crash-everywhere.ts'
import { explore, EXPECTED, type Failing, type Report } from './explore.ts'
import { exploreWide } from './wide.ts'

const USAGE = `npm run sim -- [options]

  --histories N    histories to explore; default 10000
  --seed S         of the first history; default random, and printed
  --max-steps M    steps of a plan at most; default 40
  --crash-plans K  small plans that die at every store call; default one per 75 histories
  --wide W         histories with fan-outs of up to 2,000 items; default one per 250 histories
  --failures F     failing histories after which it stops; default 5
  --no-shrink      failing histories as they are, not cut down
  --json           one line of JSON
  --help           this
`

function option(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(`--${name}`)
  return at < 0 ? undefined : args[at + 1]
}

function numberOption(args: readonly string[], name: string, otherwise: number): number {
  const text = option(args, name)
  const value = text === undefined ? otherwise : Number(text)
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`--${name} wants a whole number, not '${text}'`)
  return value
}

function told(failing: Failing): string {
  const { shrunk } = failing
  const lines = [
    `seed ${failing.seed}: ${failing.violations[0] ?? ''}`,
    `  again: npm run sim -- --histories 1 --seed ${failing.seed}`,
  ]
  if (shrunk === undefined) return lines.join('\n')
  const { scenario, faults, violations, tries } = shrunk
  lines.push(
    `  cut down in ${tries} tries to ${faults.length} faults, ${scenario.acts.length} acts, ${scenario.plans[0]?.steps.length ?? 0} steps: ${violations[0] ?? ''}`,
  )
  lines.push(
    `  rates: ${JSON.stringify(scenario.rates)}`,
    `  faults: ${JSON.stringify(faults)}`,
    `  acts: ${JSON.stringify(scenario.acts)}`,
    `  plan: ${JSON.stringify(scenario.plans[0])}`,
  )
  return lines.join('\n')
}

function summary(report: Report, ms: number): string {
  const {
    histories,
    seed,
    events,
    executions,
    storePoints,
    crashPoints,
    adoptions,
    staleDrivers,
    zombies,
    violations,
    virtualHours,
  } = report
  return [
    `${histories} histories from seed ${seed}: ${events} events, ${executions} executions, ${storePoints} store calls, ${virtualHours} virtual hours`,
    `${crashPoints} crash points, ${adoptions} take-overs, ${staleDrivers} drivers that had lost their run, ${zombies} executions they began`,
    `${violations} violations in ${(ms / 1000).toFixed(1)} s`,
  ].join('\n')
}

/** A short exploration cannot meet everything; from here on it must. */
const REACH_HISTORIES = 3000

/** So many histories come with one plan that dies at every call; playing one again comes with none. */
const HISTORIES_PER_PLAN = 75

/** They cost as much as a hundred others. */
const HISTORIES_PER_WIDE = 250

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(USAGE)
    return 0
  }
  const seed = numberOption(args, 'seed', Math.floor(Math.random() * 2 ** 31))
  const histories = numberOption(args, 'histories', 10_000)
  const plans = numberOption(
    args,
    'crash-plans',
    histories < HISTORIES_PER_PLAN ? 0 : Math.ceil(histories / HISTORIES_PER_PLAN),
  )
  const began = performance.now()
  const failuresMax = numberOption(args, 'failures', 5)
  const explored = await explore({
    histories,
    seed,
    failuresMax,
    maxSteps: numberOption(args, 'max-steps', 40),
    shrink: !args.includes('--no-shrink'),
  })
  const crashed = await crashEverywhere({ seed, plans: explored.failing.length < failuresMax ? plans : 0, failuresMax })
  const wide = await exploreWide({
    seed,
    failuresMax,
    histories: numberOption(args, 'wide', Math.floor(histories / HISTORIES_PER_WIDE)),
  })
  const failing = [...explored.failing, ...crashed.failing, ...wide.failing]
  const report = {
    ...explored,
    crashPoints: explored.crashPoints + crashed.crashPoints,
    crashCases: crashed.cases,
    crashPlans: plans,
    wideHistories: wide.histories,
    wideEvents: wide.events,
    violations: failing.length,
    failing,
  }
  const isVacuous = histories >= REACH_HISTORIES && report.vacuous.length > 0
  if (args.includes('--json')) {
    const brief = failing.map((one) => ({ seed: one.seed, violations: one.violations }))
    process.stdout.write(`${JSON.stringify({ ...report, expected: EXPECTED.length, failing: brief })}\n`)
  } else {
    for (const one of failing) process.stdout.write(`${told(one)}\n`)
    process.stdout.write(`${summary(report, performance.now() - began)}\n`)
    if (isVacuous) process.stdout.write(`never reached: ${report.vacuous.join(', ')}\n`)
  }
  return failing.length > 0 || isVacuous ? 1 : 0
}

process.exitCode = await main(process.argv.slice(2))
