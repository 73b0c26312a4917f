/** The file that somebody chose or dropped. It stays in this tab: nothing of it is sent anywhere. */
import { goTo, pathOf } from '../address/address.ts'
import { Watched } from '../server/watched.ts'

export const bundleFile = new Watched<File | undefined>(undefined)

/** Goes to its page, at the end of its log. */
export function showBundle(file: File): void {
  bundleFile.set(file)
  goTo(pathOf('bundle'))
}
