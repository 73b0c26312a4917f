/** This interface described for other programs: the document that is made of the table of routes. */
import { openApi } from '../../../core/api/openapi.ts'
import * as api from '../../../core/api/process.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'

export const OPENAPI: readonly BoundRoute[] = [bind(api.getOpenApi, () => ({ body: openApi() }))]
