/** The JSON Schema 2020-12 of a conformance entry, for editors and for `conformance/entry.schema.json`. */
import { isSection, type Section } from '../plan/format/fields.ts'
import type { Kind, SchemaFragment } from '../plan/format/kind.ts'
import { entry } from './entry.ts'

type Described = Section & { readonly schema: SchemaFragment }

export function entrySchema(): SchemaFragment {
  const found = new Map<string, SchemaFragment>()
  visit(entry, found)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Keelson conformance entry',
    ...entry.schema,
    oneOf: [{ required: ['plan'] }, { required: ['planFile'] }],
    $defs: Object.fromEntries(found),
  }
}

function visit(section: Section, found: Map<string, SchemaFragment>): void {
  for (const { kind } of Object.values(section.fields)) {
    for (const part of partsOf(kind)) {
      if (found.has(part.name)) continue
      found.set(part.name, part.schema)
      visit(part, found)
    }
  }
}

function partsOf(kind: Kind<unknown>): readonly Described[] {
  if (isSection(kind)) return [kind]
  return kind.of === undefined ? [] : partsOf(kind.of)
}
