/**
 * The text by which an event names the engine's own run, and back (EVT-37, X-48). Parts are percent-encoded, so every
 * text has one meaning. `runId` is always ours; the provider's changes when its history rotates.
 */
export type EngineRunName =
  | {
      readonly engineType: 'temporal'
      readonly namespace: string
      readonly workflowType: string
      readonly workflowId: string
      readonly providerRunId: string
    }
  | {
      readonly engineType: 'conductor'
      readonly conductorUrl: string
      readonly workflowId: string
      readonly providerRunId: string
    }
  | { readonly engineType: 'embedded' | 'mock'; readonly runId: string }

export function engineRunRefText(ref: EngineRunName): string {
  return `${ref.engineType}://${parts(ref).map(encodeURIComponent).join('/')}`
}

function parts(ref: EngineRunName): readonly string[] {
  switch (ref.engineType) {
    case 'temporal':
      return [ref.namespace, ref.workflowType, ref.workflowId, ref.providerRunId]
    case 'conductor':
      return [ref.conductorUrl, ref.workflowId, ref.providerRunId]
    case 'embedded':
    case 'mock':
      return [ref.runId]
  }
}

/** Undefined for text that names no run of an engine. */
export function parseEngineRunRef(text: string): EngineRunName | undefined {
  const match = /^(temporal|conductor|embedded|mock):\/\/(.+)$/.exec(text)
  const given = match?.[2]?.split('/').map(decoded) ?? []
  if (given.some((part) => part === undefined || part === '')) return undefined
  const [first = '', second = '', third = '', fourth = ''] = given
  const shape = `${match?.[1] ?? ''}/${given.length}`
  switch (shape) {
    case 'temporal/4':
      return {
        engineType: 'temporal',
        namespace: first,
        workflowType: second,
        workflowId: third,
        providerRunId: fourth,
      }
    case 'conductor/3':
      return { engineType: 'conductor', conductorUrl: first, workflowId: second, providerRunId: third }
    case 'embedded/1':
      return { engineType: 'embedded', runId: first }
    case 'mock/1':
      return { engineType: 'mock', runId: first }
    default:
      return undefined
  }
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
