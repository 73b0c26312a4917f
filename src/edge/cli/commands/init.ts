/**
 * `keelson init`: a project that runs at once. It never overwrites: if anything is in the way, all of it is named and
 * nothing is written. A .gitignore that is there is only added to.
 */
import { appendFileSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fail } from '../../../core/problems/problem.ts'
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { makeFolder } from '../make-folder.ts'
import { IGNORED, planText, stepsText, type Starter } from '../starter-files.ts'

const SCHEMA = 'plan.schema.json'
const OWN_SCHEMA = fileURLToPath(new URL(`../../../../schemas/${SCHEMA}`, import.meta.url))

export async function init({ args, options, terminal }: Call): Promise<number> {
  const folder = args[0] ?? '.'
  const installed = installedSchema(folder)
  const starter: Starter = { schema: installed ?? `./${SCHEMA}`, hasPackage: installed !== undefined }
  const texts = { 'plan.yaml': planText(starter), 'keelson.steps.ts': stepsText(starter) }
  const created = [...Object.keys(texts), ...(installed === undefined ? [SCHEMA] : [])]
  refuseOverwriting(folder, created)
  makeFolder(folder)
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text, { flag: 'wx' })
  // Works offline and with any version: the schema of the very version that wrote the plan.
  if (installed === undefined) copyFileSync(OWN_SCHEMA, join(folder, SCHEMA))
  const ignore = ignoreState(folder)
  const next = nextCommands(folder)
  if (options.json) {
    terminal.json({ folder, created: [...created, ...(ignore === 'created' ? ['.gitignore'] : [])], next })
    return EXIT.completed
  }
  const { green, bold, cyan, dim } = terminal.paint
  terminal.line(`${green('✔')} ${bold('ready')}   ${folder === '.' ? 'in this folder' : folder}\n`)
  for (const name of created) terminal.line(`  ${name.padEnd(18)}${dim(ABOUT[name] ?? '')}`)
  if (ignore !== 'unchanged')
    terminal.line(`  ${'.gitignore'.padEnd(18)}${dim(`leaves out ${IGNORED}, where runs are kept`)}`)
  terminal.line(`\nNow:`)
  for (const { command, about } of next) terminal.line(`  ${cyan(command.padEnd(40))}${dim(about)}`)
  return EXIT.completed
}

const ABOUT: Readonly<Record<string, string>> = {
  'plan.yaml': 'what is done, in which order, and what undoes it',
  'keelson.steps.ts': 'the functions it calls',
  [SCHEMA]: 'lets an editor complete and check the plan',
}

function nextCommands(folder: string): readonly { readonly command: string; readonly about: string }[] {
  const plan = folder === '.' ? 'plan.yaml' : join(folder, 'plan.yaml')
  return [
    { command: `keelson run ${plan}`, about: 'a busy bank, a fan-out, and it completes' },
    { command: `keelson run ${plan} --set dock=full`, about: 'a failure, and what was done is undone' },
    { command: 'keelson why last', about: 'what went wrong' },
  ]
}

/** The schema of an installed package, found as an import would find it; seen from the folder. */
function installedSchema(folder: string): string | undefined {
  for (let place = resolve(folder); ; place = dirname(place)) {
    const found = join(place, 'node_modules', 'keelson', 'schemas', SCHEMA)
    if (existsSync(found)) return relative(resolve(folder), found).replaceAll('\\', '/')
    if (dirname(place) === place) return undefined
  }
}

function refuseOverwriting(folder: string, names: readonly string[]): void {
  const there = names.filter((name) => existsSync(join(folder, name)))
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
