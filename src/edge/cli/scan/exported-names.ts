/**
 * The names that a module exports, read from its text without loading it: an untrusted file must not run only because a
 * plan beside it is examined. Where names cannot be seen (a spread, a call, another file), any name may exist.
 */
import { moduleTokens, type Token } from './module-tokens.ts'

export interface ExportedNames {
  /** As plans call them: a group gives dotted names. */
  readonly names: ReadonlySet<string>
  /** Whether a function of this name may exist. */
  mayHave(name: string): boolean
}

export function exportedNames(source: string): ExportedNames {
  const scan = new Scan(moduleTokens(source))
  scan.module()
  const { names, open } = scan
  return { names, mayHave: (name) => names.has(name) || [...open].some((prefix) => name.startsWith(prefix)) }
}

const OPENING = new Set(['{', '(', '['])
const CLOSING = new Set(['}', ')', ']'])
const DECLARING = new Set(['const', 'let', 'var'])
const NOT_CALLABLE = new Set(['type', 'interface', 'enum', 'declare', 'namespace', 'module'])
/** A value that begins like this is no group of functions. */
const FUNCTIONS = new Set(['async', 'function', 'class'])
const MODIFIERS = new Set(['async', 'get', 'set'])
/** Names of methods whose exported objects cannot be followed. */
const COMMON_JS = new Set(['module', 'exports'])

/** What the names in a group begin with. `steps` is no group: its functions count like named exports. */
const groupOf = (name: string): string => (name === 'steps' ? '' : `${name}.`)

class Scan {
  readonly names = new Set<string>()
  /** Prefixes under which unseen names may exist; the empty one stands for all names. */
  readonly open = new Set<string>()
  readonly #tokens: readonly Token[]
  /** Where the object of a module constant begins. */
  readonly #objects = new Map<string, number>()

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  #text(at: number): string {
    const token = this.#tokens[at]
    return token === undefined || token.kind === 'text' ? '' : token.text
  }

  /** The position after the matching closing bracket. */
  #after(at: number): number {
    let depth = 0
    for (let now = at; now < this.#tokens.length; now++) {
      if (OPENING.has(this.#text(now))) depth += 1
      else if (CLOSING.has(this.#text(now)) && --depth === 0) return now + 1
    }
    // The brackets were misread: no result can be trusted.
    this.open.add('')
    return this.#tokens.length
  }

  module(): void {
    this.#topLevel((at) => {
      if (!DECLARING.has(this.#text(at))) return
      const value = this.#valueOf(at + 2)
      if (this.#text(value) === '{') this.#objects.set(this.#text(at + 1), value)
    })
    this.#topLevel((at) => {
      const isMember = this.#text(at - 1) === '.' || this.#text(at + 1) === ':'
      if (COMMON_JS.has(this.#text(at)) && !isMember) this.open.add('')
      if (this.#text(at) === 'export' && !isMember) this.#exported(at + 1)
    })
  }

  #topLevel(look: (at: number) => void): void {
    for (let at = 0; at < this.#tokens.length;) {
      if (this.#tokens[at]?.kind === 'name') look(at)
      at = OPENING.has(this.#text(at)) ? this.#after(at) : at + 1
    }
  }

  #exported(at: number): void {
    const word = this.#text(at)
    if (word === 'default') this.#defaulted(at + 1)
    else if (word === '{') this.#listed(at)
    else if (word === '*') this.open.add(this.#text(at + 1) === 'as' ? groupOf(this.#text(at + 2)) : '')
    else if (DECLARING.has(word)) this.#declared(at + 1)
    else if (FUNCTIONS.has(word) || word === 'abstract') this.names.add(this.#nameAfter(at))
    else if (!NOT_CALLABLE.has(word)) this.open.add('')
  }

  #nameAfter(at: number): string {
    let now = at + 1
    while (FUNCTIONS.has(this.#text(now)) || this.#text(now) === '*') now += 1
    return this.#text(now)
  }

  #defaulted(at: number): void {
    const known = this.#objects.get(this.#text(at))
    if (this.#text(at) === '{') this.#group(at, '')
    else if (known !== undefined) this.#group(known, '')
    else if (!FUNCTIONS.has(this.#text(at))) this.open.add('')
  }

  /** `{ a, b as c }`, of this module or of another. */
  #listed(at: number): void {
    const end = this.#after(at) - 1
    for (let now = at + 1; now < end; now++) {
      const next = this.#text(now + 1)
      if (next !== ',' && next !== '}') continue
      const token = this.#tokens[now]
      if (token === undefined || token.text === ',') continue
      const from = this.#text(now - 1) === 'as' ? this.#text(now - 2) : token.text
      if (token.text === 'default') this.open.add('')
      else this.#named(token.text, from)
    }
  }

  /** `a = …, b = …`: the tokens after `const`. */
  #declared(at: number): void {
    if (OPENING.has(this.#text(at))) {
      this.open.add('')
      return
    }
    const name = this.#text(at)
    const value = this.#valueOf(at + 1)
    this.#valued(name, value)
    for (let now = value; now < this.#tokens.length && this.#text(now) !== ';' && this.#text(now) !== 'export';) {
      const after = this.#text(now + 2)
      if (this.#text(now) === ',' && (after === '=' || after === ':')) return this.#declared(now + 1)
      now = OPENING.has(this.#text(now)) ? this.#after(now) : now + 1
    }
  }

  /** The value after the `=` of a declaration, behind its type. */
  #valueOf(at: number): number {
    for (let now = at; now < this.#tokens.length && this.#text(now) !== ';';) {
      if (this.#text(now) === '=') return now + 1
      now = OPENING.has(this.#text(now)) ? this.#after(now) : now + 1
    }
    return this.#tokens.length
  }

  /** A name whose value is another name. */
  #named(name: string, from: string): void {
    const known = this.#objects.get(from)
    if (known !== undefined) this.#group(known, groupOf(name))
    else {
      this.names.add(name)
      this.open.add(groupOf(name))
    }
  }

  #valued(name: string, value: number): void {
    if (this.#text(value) === '{') this.#group(value, groupOf(name))
    else if (FUNCTIONS.has(this.#text(value))) this.names.add(name)
    else this.#named(name, this.#text(value))
  }

  /** The keys of the object that begins here. */
  #group(at: number, prefix: string): void {
    const end = this.#after(at) - 1
    for (let now = at + 1; now < end;) {
      const token = this.#tokens[now]
      const next = this.#text(now + 1)
      if (token === undefined) return
      if (token.text === '...' || token.text === '[') this.open.add(prefix)
      else if ((MODIFIERS.has(token.text) && !/^[:(,}]$/.test(next)) || token.text === '*') {
        now += 1
        continue
      } else if (token.kind !== 'sign' && next === ':') this.#valued(prefix + token.text, now + 2)
      else if (token.kind === 'name' && (next === ',' || next === '}')) this.#named(prefix + token.text, token.text)
      else if (token.kind !== 'sign') this.names.add(prefix + token.text)
      while (now < end && this.#text(now) !== ',') now = OPENING.has(this.#text(now)) ? this.#after(now) : now + 1
      now += 1
    }
  }
}
