/**
 * Why a steps file could not be loaded, in words for somebody who sees it for the first time: what Node says is about modules and
 * loaders, what helps is which line of which file to change. An error without an entry here speaks for itself.
 */
import { existsSync } from 'node:fs'
import { basename, dirname, extname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { moduleTypeIn } from './module-type.ts'

export interface LoadCause {
  /** Instead of Node's words. */
  readonly message?: string
  readonly hint: string
}

interface Failed {
  readonly code: string
  readonly message: string
  readonly path: string
}

/** Tried in this order: the first that knows the error tells. */
const CAUSES: readonly ((failed: Failed) => LoadCause | undefined)[] = [
  asCommonJs,
  commonJsCode,
  missingPackage,
  missingFile,
  missingExport,
  typesToKeep,
  noTypeScript,
]

export function causeOf(thrown: unknown, path: string): LoadCause | undefined {
  if (!(thrown instanceof Error)) return undefined
  const failed = { code: String((thrown as NodeJS.ErrnoException).code ?? ''), message: thrown.message, path }
  for (const cause of CAUSES) {
    const found = cause(failed)
    if (found !== undefined) return found
  }
  return undefined
}

/** `.ts` → `.mts`: always an ES module, whatever a package.json says. */
const asModule = (path: string): string => basename(path).replace(/\.([jt]s)$/, '.m$1')

const ESM_WORDS =
  /^(Cannot use import statement outside a module|Unexpected token 'export'|await is only valid in async)/
/** The text of a file decides only where no package.json does. */
const DECIDED = new Set(['.ts', '.js'])

function asCommonJs({ message, path }: Failed): LoadCause | undefined {
  const { type, manifest } = moduleTypeIn(dirname(path))
  if (type !== 'commonjs' || manifest === undefined || !DECIDED.has(extname(path)) || !ESM_WORDS.test(message))
    return undefined
  const where = relative('.', manifest)
  return {
    message: `${where} says "type": "commonjs", so Node reads this file as CommonJS, and it has import or export`,
    hint: `rename it to ${asModule(path)}, or write "type": "module" in ${where}`,
  }
}

function commonJsCode({ message }: Failed): LoadCause | undefined {
  const [, name] = /^(require|module|exports|__dirname|__filename) is not defined/.exec(message) ?? []
  if (name === undefined) return undefined
  const instead =
    name === 'require'
      ? '`import`'
      : name.startsWith('__')
        ? `import.meta.${name === '__dirname' ? 'dirname' : 'filename'}`
        : '`export`'
  return {
    message: `'${name}' is CommonJS, and the file is read as an ES module`,
    hint: `use ${instead}`,
  }
}

function missingPackage({ code, message }: Failed): LoadCause | undefined {
  const [, name] = /^Cannot find (?:package|module) '([^'./][^']*)' imported from/.exec(message) ?? []
  if (code !== 'ERR_MODULE_NOT_FOUND' || name === undefined || name.startsWith('/')) return undefined
  return { message: `the package '${name}', which it imports, is not installed`, hint: `npm install ${name}` }
}

const ENDINGS = ['.ts', '.mts', '.js', '.mjs', '/index.ts', '/index.js']

function missingFile({ code, message }: Failed): LoadCause | undefined {
  const [, name, from] =
    /^(?:Cannot find module|Directory import) '([^']+)' .*imported from (\S.*)$/.exec(message) ?? []
  if (!/^ERR_(MODULE_NOT_FOUND|UNSUPPORTED_DIR_IMPORT)$/.test(code) || name === undefined || from === undefined)
    return undefined
  const file = plain(name)
  const plainEnd = file.replace(/\.js$/, '')
  const there = [...ENDINGS.map((end) => file + end), `${plainEnd}.ts`, `${plainEnd}.mts`].find((one) =>
    existsSync(one),
  )
  const importer = plain(from)
  const shown = (path: string): string => {
    const way = relative(dirname(importer), path)
    return way.startsWith('.') ? way : `./${way}`
  }
  return {
    message: `${relative('.', importer)} imports ${shown(file)}, which does not exist`,
    hint: there === undefined ? 'correct the path' : `write the ending of the file: '${shown(there)}'`,
  }
}

const plain = (name: string): string => resolve(name.startsWith('file:') ? fileURLToPath(name) : name)

function missingExport({ message }: Failed): LoadCause | undefined {
  const [, from, name] =
    /^The requested module '([^']+)' does not provide an export named '([^']+)'/.exec(message) ?? []
  if (from === undefined || name === undefined) return undefined
  return {
    message: `'${from}' exports no '${name}' at run time`,
    hint: `if ${name} is a type, write \`import type { ${name} } from '${from}'\``,
  }
}

function typesToKeep({ code }: Failed): LoadCause | undefined {
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING')
    return { hint: 'Node runs no TypeScript below node_modules: import what was compiled' }
  if (code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return undefined
  return {
    hint: 'Node only removes types: write no enum, namespace, or `private x` in a constructor; or compile the file to JavaScript',
  }
}

function noTypeScript({ code, message, path }: Failed): LoadCause | undefined {
  if (code !== 'ERR_UNKNOWN_FILE_EXTENSION') return undefined
  if (process.features.typescript === false && /\.m?ts"/.test(message))
    return {
      message: `this Node (${process.versions.node}) was started without its support for TypeScript`,
      hint: 'remove --no-experimental-strip-types (look at NODE_OPTIONS), or compile the file to JavaScript',
    }
  return { hint: `steps are in a .ts, .mts, .js or .mjs file; ${basename(path)} or a file it imports is none` }
}
