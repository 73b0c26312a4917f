/** Which kind of module Node takes a `.ts` or `.js` file for: the nearest package.json above it decides. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readJsonText } from '../../../core/json/read-json-text.ts'

export interface ModuleType {
  /** The package.json that decides; absent where there is none. */
  readonly manifest?: string
  /** Absent where it says nothing: then Node looks at the text of the file. */
  readonly type?: 'module' | 'commonjs'
}

export function moduleTypeIn(folder: string): ModuleType {
  for (let place = resolve(folder); ; place = dirname(place)) {
    const manifest = join(place, 'package.json')
    if (existsSync(manifest)) return { manifest, ...typeOf(manifest) }
    if (dirname(place) === place) return {}
  }
}

/** A package.json that cannot be read says nothing; Node complains about it in its own words. */
function typeOf(manifest: string): Pick<ModuleType, 'type'> {
  const reading = readJsonText(readFileSync(manifest, 'utf8').replace(/^\uFEFF/, ''))
  if (!reading.ok || typeof reading.value !== 'object' || reading.value === null) return {}
  const { type } = reading.value as Readonly<Record<string, unknown>>
  return type === 'module' || type === 'commonjs' ? { type } : {}
}
