/**
 * Tells of every change in a folder and those below it. Each folder is watched by itself: one watch over all of them loses sight of a file
 * as soon as an editor replaces it by another of the same name, as most do when they save.
 */
import { watch, type FSWatcher } from 'node:fs'
import { join } from 'node:path'
import { foldersIn } from './project.ts'

export interface FolderWatch {
  close(): void
}

interface Told {
  /** Undefined: something changed, and it is not known what. */
  readonly onChange: (file: string | undefined) => void
  readonly onProblem: (thrown: unknown) => void
}

export function watchFolders(root: string, { onChange, onProblem }: Told): FolderWatch {
  const watched = new Map<string, FSWatcher>()
  const stop = (folder: string): void => {
    watched.get(folder)?.close()
    watched.delete(folder)
  }
  const start = (folder: string): void => {
    const watcher = watch(folder, (event, name) => {
      const changed = name === null ? undefined : join(folder, name)
      onChange(changed)
      if (event !== 'rename') return
      // A folder of this name may be another one by now, which nobody watches.
      if (changed !== undefined) stop(changed)
      follow()
    })
    watched.set(folder, watcher)
    watcher.on('error', (thrown) => {
      stop(folder)
      if (folder === root) onProblem(thrown)
    })
  }
  /** New folders are watched; what is in them already has changed, too. */
  const follow = (): void => {
    const folders = foldersIn(root)
    for (const gone of [...watched.keys()].filter((one) => !folders.includes(one))) stop(gone)
    for (const fresh of folders.filter((one) => !watched.has(one))) {
      try {
        start(fresh)
        onChange(undefined)
      } catch (thrown) {
        // It is gone again, or this machine watches no more folders.
        onProblem(thrown)
      }
    }
  }
  foldersIn(root).forEach(start)
  return { close: () => [...watched.keys()].forEach(stop) }
}
