/** A plan document as YAML for people to read and edit; text that looks like another type is quoted. */
import type { Json } from '../plan.ts'
import { yamlLibrary } from '../read/yaml-library.ts'

export function planYaml(document: { readonly [field: string]: Json }): string {
  return yamlLibrary().stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })
}
