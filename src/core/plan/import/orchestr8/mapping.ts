/**
 * The texts of an orchestr8 mapping, `${steps.a.output.x ?? "none"}`, as expressions of a plan. Its language has paths and
 * a default, and nothing else; a default ends only where its quotes do.
 */
import { pathName, quotedText, statusThere, type Names } from './names.ts'

export type Mapped = { readonly text: string } | { readonly wrong: string; readonly todo?: string }

export function mappedText(written: string, names: Names): Mapped {
  let made = ''
  let at = 0
  for (let open = written.indexOf('${'); open !== -1; open = written.indexOf('${', at)) {
    const end = endOf(written, open + 2)
    if (end === undefined) return { wrong: 'an expression is opened with ${ and never closed' }
    if (written[open - 1] === '$') return { wrong: 'a $ right before ${ cannot be kept', todo: 'put the $ elsewhere' }
    const found = placeholder(written.slice(open + 2, end), names)
    if ('wrong' in found) return found
    made += `${written.slice(at, open)}\${${found.text}}`
    at = end + 1
  }
  return { text: made + written.slice(at) }
}

/** The name of the variable of the environment, if the text is nothing else. */
export function wholeEnv(written: string): string | undefined {
  return /^\s*\$\{\s*env\.([A-Za-z_][\w-]*)\s*\}\s*$/.exec(written)?.[1]
}

function endOf(text: string, start: number): number | undefined {
  let quote = ''
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (quote !== '' && char === '\\') at += 1
    else if (quote !== '') quote = char === quote ? '' : quote
    else if (char === '"' || char === "'") quote = char
    else if (char === '}') return at
  }
  return undefined
}

function placeholder(inside: string, names: Names): Mapped {
  const split = inside.indexOf('??')
  const path = (split === -1 ? inside : inside.slice(0, split)).trim()
  const otherwise = split === -1 ? undefined : defaultOf(inside.slice(split + 2).trim())
  const found = pathOf(path, names)
  if ('absent' in found) {
    if (otherwise !== undefined) return { text: quotedText(otherwise) }
    return found.absent === undefined ? { text: '`null`' } : { wrong: found.absent }
  }
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

/** `absent`: it never has a value there; with what is wrong, where the author will want to know. */
type Path = Mapped | { readonly absent: string | undefined }

function pathOf(path: string, names: Names): Path {
  const [root = '', ...rest] = path.split('.')
  const parts = rest.map(part)
  const broken = parts.findIndex((one) => one === undefined)
  if (broken >= 0) return { wrong: `'${rest[broken] ?? ''}' is no name of a field` }
  const fields = parts.flatMap((one) => one ?? [])
  if (root === 'steps') return stepPath(fields, names)
  if (root === 'variables' && fields.length > 0) return { text: ['input', ...fields].join('.') }
  if (root === 'env' && fields.length > 0) return envPath(rest[0] ?? '', names)
  return { wrong: `'${path}' begins with none of steps, variables and env` }
}

/** `items[1]` of a path, as a plan writes it. */
function part(written: string): string | undefined {
  const [, name = '', index = ''] = /^([\w-]+)((?:\[\d+\])?)$/.exec(written) ?? []
  return name === '' ? undefined : `${pathName(name)}${index}`
}

function stepPath([quoted = '', field = '', ...rest]: readonly string[], names: Names): Path {
  const stepId = quoted.replaceAll('"', '')
  if (!names.steps.has(stepId)) return { absent: `there is no step '${stepId}'` }
  const path = `steps.${quoted}`
  if (field.replace(/\[\d+\]$/, '') === 'output') return { text: [path, field, ...rest].join('.') }
  if (field === 'status' && rest.length === 0) return { text: statusThere(path) }
  if (field === 'stepId' && rest.length === 0) return { text: quotedText(stepId) }
  if (field === 'error' && rest.join('.') === 'code') return { text: `${path}.error.code` }
  const todo = 'a plan reads output, status and error.code of a step'
  return { wrong: `'${[field, ...rest].join('.')}' of step '${stepId}' cannot be read in a plan`, todo }
}

function envPath(name: string, names: Names): Path {
  // What is not on the list is undefined there, whatever the process has.
  if (!names.env.has(name)) return { absent: undefined }
  if (names.secretEnv(name)) {
    const todo =
      'hand it to the step alone, as a field of its own: { token: "${env.NAME}" }; or write secrets in the plan'
    return { wrong: `'${name}' looks like a secret, and a secret is no part of a text`, todo }
  }
  return { text: `input.env.${pathName(name)}` }
}
