/**
 * What `keelson doctor` says of the files people write: can the steps file beside the plan be loaded as it is named, and is there a
 * value for each secret that a plan here names? Nothing of them is run.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, extname, relative } from 'node:path'
import { KeelsonError } from '../../../core/problems/problem.ts'
import { REGISTRY } from '../../../core/problems/registry.ts'
import { knownSecrets, secretsFile } from '../../../compose/known-secrets.ts'
import { moduleTypeIn } from '../files/module-type.ts'
import { findStepsFile } from '../files/steps-file.ts'
import type { Finding } from './finding.ts'
import { plural } from '../terminal/format.ts'

const READ_BYTES = 1024 * 1024
const LOOKED_AT = 200
const SECRET = /\bsecret:\/\/[\w./-]*\w/g

export async function projectFindings(directory: string): Promise<readonly Finding[]> {
  return [...stepsFindings(), ...(await secretFindings(directory))]
}

function stepsFindings(): readonly Finding[] {
  const path = findStepsFile(undefined, ['.'])
  if (path === undefined) return []
  const name = 'steps file'
  const file = basename(path)
  const isTypeScript = /\.m?ts$/.test(file)
  if (isTypeScript && process.features.typescript === false) {
    const todo = 'Remove --no-experimental-strip-types (look at NODE_OPTIONS), or compile the file to JavaScript.'
    return [
      { name, health: 'bad', says: `this Node was started without its support for TypeScript, ${file} needs it`, todo },
    ]
  }
  const { type, manifest = '' } = moduleTypeIn('.')
  if (type === 'commonjs' && ['.ts', '.js'].includes(extname(file)) && /^\s*(import|export)\b/m.test(textOf(path))) {
    const says = `${relative('.', manifest)} says "type": "commonjs", and ${file} has import or export: it cannot be loaded`
    const todo = `mv ${file} ${file.replace(/\.([jt]s)$/, '.m$1')}`
    return [{ name, health: 'bad', says, todo }]
  }
  return [{ name, health: 'well', says: file }]
}

function textOf(path: string): string {
  const stat = statSync(path)
  return stat.isFile() && stat.size <= READ_BYTES ? readFileSync(path, 'utf8') : ''
}

/** Of the plans in this folder; what else a YAML or JSON file says does no harm. */
async function secretFindings(directory: string): Promise<readonly Finding[]> {
  const files = readdirSync('.').filter((name) => /\.(ya?ml|json)$/.test(name) && !name.startsWith('package'))
  const refs = new Set(files.slice(0, LOOKED_AT).flatMap((file) => textOf(file).match(SECRET) ?? []))
  if (refs.size === 0) return []
  const name = 'secrets'
  try {
    const known = await knownSecrets(directory, [...refs])
    const missing = [...refs].filter((ref) => !known.has(ref))
    const [first = ''] = missing
    if (missing.length === 0)
      return [{ name, health: 'well', says: `${plural(refs.size, 'secret')} named here, each has a value` }]
    return [
      {
        name,
        health: 'warning',
        says: `no value for ${missing.join(', ')}; looked in ${secretsFile(directory)} (or .json) and at KEELSON_SECRET_…`,
        todo: `Set the variable ${variableOf(first)}, or put it into that file (mode 0600).`,
      },
    ]
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    const says = `${thrown.code}  ${thrown.problems[0].message}`
    return [{ name, health: 'bad', says, todo: REGISTRY[thrown.code].todo }]
  }
}

/** A path of a file's object has no variable. */
function variableOf(ref: string): string {
  const path = ref.replace(/^secret:\/\/(env\/)?/, '')
  return `KEELSON_SECRET_${/^\w+$/.test(path) ? path : '…'}`
}
