/**
 * The entries that `keelson conformance` plays: the corpus that comes with Keelson, or files and folders that a user
 * names. A plan file alone is an entry; all problems of all files are reported together.
 */
import { appendAll } from '../../../core/collections/append-all.ts'
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readEntry, type Entry } from '../../../app/conformance/read-entry.ts'
import { fail, KeelsonError, type Problem } from '../../../core/problems/problem.ts'
import { compileText, importText } from '../../../library/plans/compile-apart.ts'
import { childPlanFiles } from './child-files.ts'
import { readText } from './text-file.ts'

/** Beside `src` in the repository, beside `dist` in the package. */
const CORPUS = fileURLToPath(new URL('../../../../conformance/corpus', import.meta.url))
const ENDINGS = new Set(['.yaml', '.yml', '.json'])

/** Ordered by name; `only` are names, in which `*` matches anything. */
export function readEntries(paths: readonly string[], only: readonly string[]): readonly Entry[] {
  const files = (paths.length === 0 ? [CORPUS] : paths).flatMap(filesOf)
  const wanted = files.filter((file) => only.length === 0 || only.some((name) => fits(name, nameOf(file))))
  if (wanted.length === 0)
    fail(
      'FILE_NOT_FOUND',
      only.length === 0 ? `no plan in ${paths.join(', ')}` : `no entry is called ${only.join(', ')}`,
    )
  const entries: Entry[] = []
  const problems: Problem[] = []
  for (const file of wanted) {
    const read = readFile(file)
    if (read.ok) entries.push(read.value)
    else appendAll(problems, read.problems)
  }
  const [first, ...rest] = problems
  if (first !== undefined) throw new KeelsonError([first, ...rest])
  return entries
}

function filesOf(path: string): readonly string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path]
  return readdirSync(path)
    .filter((name) => ENDINGS.has(extname(name)) && !name.endsWith('.schema.json'))
    .sort()
    .map((name) => join(path, name))
}

/** A file named only `plan` gets the name of its folder. */
function nameOf(file: string): string {
  const name = basename(file, extname(file))
  return name === 'plan' ? basename(dirname(resolve(file))) : name
}

function fits(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`).test(name)
}

function readFile(file: string): ReturnType<typeof readEntry> {
  const beside = (path: string): { readonly file: string; readonly text: string } => {
    const other = join(dirname(file), path)
    return { file: other, text: readText(other, 'PLAN_SYNTAX') }
  }
  const text = readText(file, 'PLAN_SYNTAX')
  const doors = { readBeside: beside, compile: compileText, importForeign: importText }
  const read = readEntry({ file, name: nameOf(file), text, ...doors })
  if (!read.ok || read.value.plans.length > 0) return read
  const others = childPlanFiles({ path: file, text: '', compiled: read.value.plan }).used.map(
    ({ compiled }) => compiled,
  )
  return { ok: true, value: { ...read.value, plans: others } }
}
