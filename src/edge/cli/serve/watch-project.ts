/**
 * A folder that somebody edits: whenever plans or step functions are saved, they are read again, and the server goes on with them.
 * Nothing is restarted. A file with problems leaves what was served before as it is, and the problems are told at line and column.
 */
import type { ProjectHandlers } from '../../../compose/project-handlers.ts'
import { isServed, readProject, type Project } from './project.ts'
import { watchFolders } from './watch-folders.ts'

export interface ProjectWatch {
  close(): void
}

interface Watching {
  readonly folder: string
  readonly handlers: ProjectHandlers
  /** What is served; publishes what is new. */
  readonly onRead: (project: Project) => Promise<void>
  readonly onProblem: (thrown: unknown) => void
}

/** Editors write a file in several moves. */
const SETTLE_MS = 120

export function watchProject({ folder, handlers, onRead, onProblem }: Watching): ProjectWatch {
  let timer: NodeJS.Timeout | undefined
  let reading: Promise<void> = Promise.resolve()
  let version = 0
  const read = async (): Promise<void> => {
    version += 1
    const project = await readProject(folder, String(version))
    // What cannot be loaded is told, and the functions that were served stay.
    if (project.problems.length === 0) handlers.replace(project.steps)
    await onRead(project)
  }
  const changed = (file: string | undefined): void => {
    if (file !== undefined && !isServed(file)) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      reading = reading.then(read).catch(onProblem)
    }, SETTLE_MS)
  }
  const watcher = watchFolders(folder, { onChange: changed, onProblem })
  return {
    close: () => {
      clearTimeout(timer)
      watcher.close()
    },
  }
}
