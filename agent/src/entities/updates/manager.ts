import { stat } from 'node:fs/promises'
import type { RunCommand } from './command.ts'

export interface PendingUpdates {
  /** As `name:architecture`, `name.architecture` or `name`, as the manager writes them. */
  pending: string[]
  /** Undefined where the manager does not know. */
  security: number | undefined
}

/** A package manager. `root` stands before each path. */
export interface PackageManager {
  /** Of the entity. */
  name: string
  isThere(root: string): boolean
  /** Files and folders that change when another result is possible. */
  inputs(root: string): Promise<string[]>
  /** Those of its lists of packages; none: nothing can be said. */
  lists(root: string): Promise<string[]>
  /** Asks the manager, which neither writes nor uses the network. Throws when it fails or says something unknown. */
  count(run: RunCommand, root: string): Promise<PendingUpdates>
}

/** When each was changed, ms since the epoch; of those that are there. */
export async function readChanges(paths: readonly string[]): Promise<number[]> {
  const times = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => undefined,
      ),
    ),
  )
  return times.filter((time) => time !== undefined)
}
