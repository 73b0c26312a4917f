/** The saved views of the list of runs, on behalf of whoever asks. */
import { SavedViews } from '../act/saved-views.ts'
import { partsOf } from '../services-of.ts'

export function viewsFor(keelson: object): SavedViews {
  return new SavedViews(partsOf(keelson))
}
