/**
 * The package for YAML. It takes longer to load than all of the engine, and whoever resumes runs or reads plans in JSON
 * needs none of it: in the built product it is loaded by the first call (scripts/bundle.ts).
 */
import * as yaml from 'yaml'

export function yamlLibrary(): typeof yaml {
  return yaml
}
