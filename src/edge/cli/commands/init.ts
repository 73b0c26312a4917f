/**
 * `keelson init`: a project that runs at once, in whatever package it finds itself. It never overwrites: if a file exists, all such
 * files are named and nothing is written. An existing .gitignore is only extended.
 */
import { greatest } from '../../../core/collections/extremes.ts'
import { appendFileSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fail } from '../../../core/problems/problem.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { makeFolder } from '../files/make-folder.ts'
import { moduleTypeIn } from '../files/module-type.ts'
import { STEPS_NAMES } from '../files/steps-file.ts'
import { IGNORED, planText, stepsText, type Starter } from '../files/starter-files.ts'

const SCHEMA = 'plan.schema.json'
const OWN_SCHEMA = fileURLToPath(new URL(`../../../../schemas/${SCHEMA}`, import.meta.url))

export async function init({ args, options, terminal }: Call): Promise<number> {
  const folder = args[0] ?? '.'
  const installed = installedSchema(folder)
  const command = installed === undefined && process.env['npm_command'] !== 'exec' ? 'keelson' : 'npx keelson'
  const starter: Starter = { schema: installed ?? `./${SCHEMA}`, hasPackage: installed !== undefined, command }
  const steps = stepsName(folder)
  const texts = { 'plan.yaml': planText(starter), [steps.name]: stepsText(starter) }
  const created = [...Object.keys(texts), ...(installed === undefined ? [SCHEMA] : [])]
  refuseOverwriting(folder, [...created, ...STEPS_NAMES])
  makeFolder(folder)
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text, { flag: 'wx' })
  // Works offline and with any version: the schema of the version that wrote the plan.
  if (installed === undefined) copyFileSync(OWN_SCHEMA, join(folder, SCHEMA))
  const ignore = ignoreState(folder)
  const next = nextCommands(folder, command)
  if (options.json) {
    terminal.json({ folder, created: [...created, ...(ignore === 'created' ? ['.gitignore'] : [])], next })
    return EXIT.completed
  }
  const { green, bold, cyan, dim } = terminal.paint
  terminal.line(`${green('✔')} ${bold('ready')}   ${folder === '.' ? 'in this folder' : folder}`)
  terminal.line()
  const about: Readonly<Record<string, string>> = { ...ABOUT, [steps.name]: `the functions it calls${steps.because}` }
  for (const name of created) terminal.line(`  ${name.padEnd(NAME_WIDTH)}${dim(about[name] ?? '')}`)
  if (ignore !== 'unchanged')
    terminal.line(`  ${'.gitignore'.padEnd(NAME_WIDTH)}${dim(`leaves out ${IGNORED}, where runs are kept`)}`)
  terminal.line()
  terminal.line('Now:')
  const width = greatest(next.map(({ command: one }) => one.length))
  for (const one of next) terminal.line(`  ${cyan(one.command.padEnd(width))}   ${dim(one.about)}`)
  if (command !== 'keelson') {
    terminal.line()
    terminal.line(dim("Messages say `keelson` for short: type `npx keelson`, or once: alias keelson='npx keelson'"))
  }
  return EXIT.completed
}

const NAME_WIDTH = 19
const ABOUT: Readonly<Record<string, string>> = {
  'plan.yaml': 'what is done, in which order, and what undoes it',
  [SCHEMA]: 'lets an editor complete and check the plan',
}

/**
 * `.mts` is an ES module whatever a package.json says, now or later: `npm init` of today writes "type": "commonjs". Only a
 * package that is made of modules has `.ts`.
 */
function stepsName(folder: string): { readonly name: string; readonly because: string } {
  const { type } = moduleTypeIn(folder)
  if (type === 'module') return { name: 'keelson.steps.ts', because: '' }
  const because = type === 'commonjs' ? ' (.mts, since package.json says "type": "commonjs")' : ''
  return { name: 'keelson.steps.mts', because }
}

function nextCommands(
  folder: string,
  command: string,
): readonly { readonly command: string; readonly about: string }[] {
  const plan = folder === '.' ? 'plan.yaml' : join(folder, 'plan.yaml')
  return [
    { command: `${command} run ${shellWord(plan)}`, about: 'a busy bank, a fan-out, and it completes' },
    {
      command: `${command} run ${shellWord(plan)} --set dock=full`,
      about: 'a failure, and what was done is undone',
    },
    { command: `${command} why last`, about: 'what went wrong' },
  ]
}

/** A path as a shell takes it. */
function shellWord(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

/** The schema of an installed package, found as an import would find it; relative to the folder. */
function installedSchema(folder: string): string | undefined {
  for (let place = resolve(folder); ; place = dirname(place)) {
    const found = join(place, 'node_modules', 'keelson', 'schemas', SCHEMA)
    if (existsSync(found)) return relative(resolve(folder), found).replaceAll('\\', '/')
    if (dirname(place) === place) return undefined
  }
}

function refuseOverwriting(folder: string, names: readonly string[]): void {
  const there = [...new Set(names)].filter((name) => existsSync(join(folder, name)))
  if (there.length === 0) return
  const where = folder === '.' ? 'this folder' : folder
  fail('FILES_IN_THE_WAY', `${where} already has ${there.join(', ')}`, { details: { files: there } })
}

function ignoreState(folder: string): 'created' | 'added' | 'unchanged' {
  const file = join(folder, '.gitignore')
  const known = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  if (known?.split(/\r?\n/).some((line) => /^\/?\.keelson\/?$/.test(line.trim())) === true) return 'unchanged'
  appendFileSync(file, `${known === undefined || known === '' || known.endsWith('\n') ? '' : '\n'}${IGNORED}\n`)
  return known === undefined ? 'created' : 'added'
}
