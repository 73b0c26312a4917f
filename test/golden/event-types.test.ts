/**
 * The TypeScript types of events against the published schema files, by asking the compiler itself: what the types
 * allow, the schemas list, and the other way round.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { EVENT_TYPES, type EventType } from '../../src/core/events/event.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const VIRTUAL = join(ROOT, 'src', 'core', 'events', 'asked.ts')

/** Compiles one file that exists only here, beside event.ts. */
function compile(source: string): { readonly program: ts.Program; readonly file: ts.SourceFile } {
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    types: [],
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile } = host
  host.fileExists = (path) => path === VIRTUAL || fileExists(path)
  host.readFile = (path) => (path === VIRTUAL ? source : readFile(path))
  host.getSourceFile = (path, ...others) =>
    path === VIRTUAL ? ts.createSourceFile(path, source, ts.ScriptTarget.ES2023) : getSourceFile(path, ...others)
  const program = ts.createProgram([VIRTUAL], options, host)
  const file = program.getSourceFile(VIRTUAL)
  if (file === undefined) throw new Error('the file was not compiled')
  return { program, file }
}

interface Names {
  readonly required: readonly string[]
  readonly optional: readonly string[]
}

/** Names of the fields of each exported type; a field of type `never` does not count. */
function namesOf(source: string): ReadonlyMap<string, Names> {
  const { program, file } = compile(source)
  const checker = program.getTypeChecker()
  const module = checker.getSymbolAtLocation(file)
  const exported = module === undefined ? [] : checker.getExportsOfModule(module)
  return new Map(
    exported.map((symbol) => {
      const fields = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
      const real = fields.filter(
        (field) => (checker.getNonNullableType(checker.getTypeOfSymbol(field)).flags & ts.TypeFlags.Never) === 0,
      )
      const isOptional = (field: ts.Symbol) => (field.flags & ts.SymbolFlags.Optional) !== 0
      const names = (some: readonly ts.Symbol[]) => some.map((field) => field.name).sort()
      return [
        symbol.name,
        { required: names(real.filter((f) => !isOptional(f))), optional: names(real.filter(isOptional)) },
      ]
    }),
  )
}

interface Schema {
  readonly properties: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

function schemaNames(schema: Schema | undefined): Names {
  const required = [...(schema?.required ?? [])].sort()
  const all = Object.keys(schema?.properties ?? {})
  return { required, optional: all.filter((name) => !required.includes(name)).sort() }
}

function published(type: EventType, shape: 'write' | 'record'): Schema {
  return JSON.parse(readFileSync(join(ROOT, 'schemas', 'events', `${type}.${shape}.json`), 'utf8')) as Schema
}

/** A payload that may be left out, and data in types of events that have none, are the two liberties of the schemas. */
function compared(names: Names): readonly string[] {
  const all = [...names.required.map((name) => `${name}!`), ...names.optional.map((name) => `${name}?`)]
  return all.filter((name) => !name.startsWith('payload') && !name.startsWith('data?')).sort()
}

const source = [
  `import type { Payload, RecordOf, WriteOf } from './event.ts'`,
  ...EVENT_TYPES.flatMap((type) => [
    `export type ${type}Payload = Payload<'${type}'>`,
    `export type ${type}Write = WriteOf<'${type}'>`,
    `export type ${type}Record = RecordOf<'${type}'>`,
  ]),
].join('\n')

describe('types and schemas', () => {
  it('name the same fields of every event, required and optional alike [EVT-35]', () => {
    const types = namesOf(source)
    expect(types.size).toBe(3 * EVENT_TYPES.length)
    for (const type of EVENT_TYPES) {
      const names = (kind: string): Names => types.get(`${type}${kind}`) ?? { required: [], optional: [] }
      expect(names('Payload'), type).toEqual(schemaNames(published(type, 'write').properties['payload']))
      expect(compared(names('Write')), type).toEqual(compared(schemaNames(published(type, 'write'))))
      expect(compared(names('Record')), type).toEqual(compared(schemaNames(published(type, 'record'))))
    }
  })

  it('part when a field is added to a type only [EVT-35]', () => {
    const types = namesOf(
      `import type { Payload } from './event.ts'\nexport type Wider = Payload<'RunPaused'> & { readonly mood?: string }`,
    )
    expect(types.get('Wider')).not.toEqual(schemaNames(published('RunPaused', 'write').properties['payload']))
  })
})

describe('the union of writes', () => {
  const errorsOf = (type: EventType, change: string): readonly string[] => {
    const { program, file } = compile(
      [
        `import type { RunEventWrite, WriteOf } from './event.ts'`,
        `declare const write: WriteOf<'${type}'>`,
        `const { stepId, itemIndex, role, ...bare } = write`,
        `export const changed: RunEventWrite = { ...bare, ${change} }`,
        `export const used = [stepId, itemIndex, role]`,
      ].join('\n'),
    )
    return program.getSemanticDiagnostics(file).map((error) => ts.flattenDiagnosticMessageText(error.messageText, ' '))
  }

  it('does not compile a run event with a stepId or a step event without one [EVT-08]', () => {
    expect(errorsOf('StepStarted', `stepId: 'load'`)).toEqual([])
    expect(errorsOf('RunPaused', '')).toEqual([])
    expect(errorsOf('StepStarted', '')).not.toEqual([])
    expect(errorsOf('RunPaused', `stepId: 'load'`)).not.toEqual([])
  })

  it('does not compile a number or a time of the store [EVT-09]', () => {
    expect(errorsOf('RunPaused', 'runSeq: 1')).not.toEqual([])
    expect(errorsOf('RunPaused', `persistedAt: '2026-03-01T10:00:00Z'`)).not.toEqual([])
  })
})
