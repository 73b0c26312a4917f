/**
 * Reads a JSON Schema (2020-12) once into parts that check values, in time linear in its size: each part becomes one
 * list of checks, and a reference points to a part and never copies it. Throws for an invalid schema; the message says
 * why.
 */
import { PatternShelf } from './pattern-shelf.ts'
import { choiceChecks, refCheck } from './choices.ts'
import { listChecks, unevaluatedItems } from './lists.ts'
import { objectChecks, unevaluatedProperties } from './objects.ts'
import {
  isFields,
  mistaken,
  type Check,
  type Fields,
  type Part,
  type SchemaDocument,
  type Scope,
} from './part.ts'
import { checkShape, heldParts } from './shape.ts'
import { valueChecks } from './values.ts'

/** A schema, or a part of one with its own `$id`: the meaning of `#` inside it. */
interface Document extends SchemaDocument {
  readonly root: unknown
  readonly anchors: Map<string, Part>
}

export function readSchema(schema: unknown): Part {
  return new SchemaReader(schema).root
}

class SchemaReader {
  readonly root: Part
  readonly #parts = new Map<object, Part>()
  readonly #documents = new Map<Part, Document>()
  readonly #patterns = new PatternShelf()
  readonly #everything: Part
  readonly #nothing: Part

  constructor(schema: unknown) {
    const document = newDocument(schema)
    const never: Check = (_, frame) => mistaken(frame, 'boolean schema is false')
    this.#everything = { document, checks: [], asksForSeen: false }
    this.#nothing = { document, checks: [never], asksForSeen: false }
    this.#collect(schema, document)
    for (const [node, part] of this.#parts) part.checks = this.#checks(node as Fields, part)
    this.root = this.#partOf(schema)
  }

  #collect(node: unknown, outer: Document): void {
    if (!isFields(node)) return
    checkShape(node)
    const isOwn = typeof node['$id'] === 'string' && node !== outer.root
    const document = isOwn ? newDocument(node) : outer
    const asksForSeen = node['unevaluatedItems'] !== undefined || node['unevaluatedProperties'] !== undefined
    const part: Part = { document, checks: [], asksForSeen }
    this.#parts.set(node, part)
    this.#documents.set(part, document)
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const name = node[keyword]
      if (typeof name !== 'string') continue
      if (document.anchors.has(name)) throw new Error(`the anchor "${name.slice(0, 200)}" is there twice`)
      document.anchors.set(name, part)
      if (keyword === '$dynamicAnchor') document.dynamicAnchors.set(name, part)
    }
    for (const held of heldParts(node)) this.#collect(held, document)
  }

  readonly #partOf = (schema: unknown): Part => {
    const part = isFields(schema) ? this.#parts.get(schema) : schema === false ? this.#nothing : this.#everything
    if (part === undefined) throw new Error('a $ref leads to something that is not a schema; put it under $defs')
    return part
  }

  /** In the order in which mistakes are reported. */
  #checks(node: Fields, part: Part): readonly Check[] {
    const found = [
      ...valueChecks(node, this.#patterns),
      this.#dynamicRef(node['$dynamicRef'], part),
      this.#ref(node['$ref'], part),
      ...choiceChecks(node, this.#partOf),
      ...listChecks(node, this.#partOf),
      ...objectChecks(node, this.#partOf, this.#patterns),
      unevaluatedItems(node, this.#partOf),
      unevaluatedProperties(node, this.#partOf),
    ]
    return found.filter((check) => check !== undefined)
  }

  #ref(ref: unknown, part: Part): Check | undefined {
    if (typeof ref !== 'string') return undefined
    const target = this.#resolved(ref, part)
    return refCheck(() => target)
  }

  /** Leads to the outermost part of that name on the way here, if the named part may be replaced in this way. */
  #dynamicRef(ref: unknown, part: Part): Check | undefined {
    if (typeof ref !== 'string') return undefined
    const target = this.#resolved(ref, part)
    const name = ref.slice(1)
    if (this.#documents.get(target)?.dynamicAnchors.get(name) !== target) return refCheck(() => target)
    return refCheck(({ scope, budget }) => {
      let outermost = target
      for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
        budget.spend(1)
        outermost = at.document.dynamicAnchors.get(name) ?? outermost
      }
      return outermost
    })
  }

  #resolved(ref: string, part: Part): Part {
    const document = this.#documents.get(part)
    const fragment = decodeURIComponent(ref.slice(1))
    if (!fragment.startsWith('/') && fragment !== '') {
      return document?.anchors.get(fragment) ?? unresolved(ref)
    }
    let at: unknown = document?.root
    for (const step of fragment.split('/').slice(1)) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return unresolved(ref)
      at = (at as Fields)[key]
    }
    return this.#partOf(at)
  }
}

function newDocument(root: unknown): Document {
  return { root, anchors: new Map(), dynamicAnchors: new Map() }
}

function unresolved(ref: string): never {
  throw new Error(`can't resolve reference ${ref.slice(0, 200)}`)
}
