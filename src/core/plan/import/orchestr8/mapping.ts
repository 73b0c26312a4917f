/**
 * The texts of an orchestr8 mapping, `${steps.a.output.x ?? "none"}`, as expressions of a plan. Its language has paths and
 * a default, and nothing else; a default ends only where its quotes do.
 */
import { pathName, quotedText, statusThere, type Names } from './names.ts'

interface Wrong {
  readonly wrong: string
  readonly todo?: string
}
export type Mapped = { readonly text: string } | Wrong

/** Deeper paths failed there. */
const DEPTH_MAX = 10

export function mappedText(written: string, names: Names): Mapped {
  let made = ''
  let at = 0
  for (let open = written.indexOf('${'); open !== -1; open = written.indexOf('${', at)) {
    const before = written.slice(at, open)
    // A $ right before would make text of it.
    made += before.endsWith('$') ? `${before.slice(0, -1)}\${'$'}` : before
    const end = endOf(written, open + 2)
    at = (end ?? open + 1) + 1
    if (end === undefined) {
      // What is never closed is text there.
      made += `$\${`
      continue
    }
    const isWhole = open === 0 && end === written.length - 1
    const found = placeholder(written.slice(open + 2, end), names, isWhole ? undefined : written.slice(open, end + 1))
    if ('wrong' in found) return found
    made += `\${${found.text}}`
  }
  return { text: made + written.slice(at) }
}

/** The name of the variable of the environment, if the text is nothing else. */
export function wholeEnv(written: string): string | undefined {
  return /^\s*\$\{\s*env\.([A-Za-z_][\w-]*)\s*\}\s*$/.exec(written)?.[1]
}

/** Braces in a default count, but for those between quotes. */
function endOf(text: string, start: number): number | undefined {
  let quote = ''
  let depth = 1
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '\\') at += 1
    else if (quote !== '') quote = char === quote ? '' : quote
    else if (char === '"' || char === "'") quote = char
    else if (char === '{') depth += 1
    else if (char === '}' && depth > 1) depth -= 1
    else if (char === '}') return at
  }
  return undefined
}

/** `inText`: as it is written, where text stands around it. Without a value the text keeps it there. */
function placeholder(inside: string, names: Names, inText: string | undefined): Mapped {
  const split = inside.indexOf('??')
  const path = (split === -1 ? inside : inside.slice(0, split)).trim()
  const otherwise = (split === -1 ? undefined : defaultOf(inside.slice(split + 2).trim())) ?? inText
  const found = pathOf(path, names)
  if ('absent' in found) return { text: otherwise === undefined ? '`null`' : quotedText(otherwise) }
  if ('wrong' in found && found.isUnknown === true && split !== -1 && otherwise !== undefined)
    return { text: quotedText(otherwise) }
  if ('wrong' in found || otherwise === undefined) return found
  return { text: `${found.text} ?? ${quotedText(otherwise)}` }
}

/** Undefined for none: `${a ?? }`. */
function defaultOf(written: string): string | undefined {
  const [first = ''] = written
  const isQuoted = written.length >= 2 && (first === '"' || first === "'") && written.endsWith(first)
  if (!isQuoted) return written === '' ? undefined : written
  return written.slice(1, -1).replaceAll(/\\(["'\\])/g, '$1')
}

/** `absent`: it never has a value there. `isUnknown`: neither, and it is surely a mistake. */
type Path = { readonly text: string } | (Wrong & { readonly isUnknown?: true }) | { readonly absent: true }

function pathOf(path: string, names: Names): Path {
  const [root = '', ...rest] = path.split('.')
  const parts = rest.map(part)
  const broken = parts.findIndex((one) => one === undefined)
  if (broken >= 0) return { wrong: `'${rest[broken] ?? ''}' is no name of a field` }
  const fields = parts.flatMap((one) => one ?? [])
  if (fields.length > DEPTH_MAX + (root === 'steps' ? 2 : 0))
    return { wrong: `'${path}' is deeper than ${DEPTH_MAX} names, which failed there`, todo: 'read it in the agent' }
  if (root === 'steps') return stepPath(fields, names)
  const [variable, ...within] = fields
  if (root === 'variables' && variable !== undefined) return { text: below(`input.${variable}`, within) }
  if (root === 'env' && fields.length > 0) return envPath(rest[0] ?? '', names)
  return { wrong: `'${path}' begins with none of steps, variables and env`, isUnknown: true }
}

/** `items[1]` of a path, as a plan writes it. */
function part(written: string): string | undefined {
  const [, name = '', index = ''] = /^([\w-]+)((?:\[\d+\])?)$/.exec(written) ?? []
  return name === '' ? undefined : `${pathName(name)}${index}`
}

/** There a list has a `length`, and its elements are fields, too: `items.0`. */
function below(start: string, fields: readonly string[]): string {
  return fields.reduce((path, field) => {
    if (field === 'length') return `not_null(${path}.length, type(${path}) == 'array' && length(${path}) || \`null\`)`
    const [, index] = /^"(\d+)"$/.exec(field) ?? []
    return index === undefined ? `${path}.${field}` : `not_null(${path}.${field}, ${path}[${index}])`
  }, start)
}

function stepPath([quoted = '', field = '', ...rest]: readonly string[], names: Names): Path {
  const stepId = quoted.replaceAll('"', '')
  if (!names.steps.has(stepId)) return { absent: true }
  names.reads(stepId)
  const path = `steps.${quoted}`
  if (field.replace(/\[\d+\]$/, '') === 'output') return { text: below(`${path}.${field}`, rest) }
  if (field === 'status' && rest.length === 0) return { text: statusThere(path) }
  if (field === 'stepId' && rest.length === 0) return { text: quotedText(stepId) }
  if (field === 'error' && rest.join('.') === 'code') return { text: `${path}.error.code` }
  const todo = 'a plan reads output, status and error.code of a step'
  return { wrong: `'${[field, ...rest].join('.')}' of step '${stepId}' cannot be read in a plan`, todo }
}

function envPath(name: string, names: Names): Path {
  // What is not on the list is undefined there, whatever the process has.
  if (!names.env.has(name)) return { absent: true }
  if (names.secretEnv(name)) {
    const todo =
      'hand it to the step alone, as a field of its own: { token: "${env.NAME}" }; or write secrets in the plan'
    return { wrong: `'${name}' looks like a secret, and a secret is no part of a text`, todo }
  }
  return { text: `input.env.${pathName(name)}` }
}
