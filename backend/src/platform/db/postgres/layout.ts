import { join } from 'node:path'

/** Where everything lies in the data folder. */
export interface Layout {
  root: string
  cluster: string
  /** How the names begin where initdb works; only a finished cluster is renamed to `cluster`: a killed initdb is never taken for one. */
  unfinishedClusters: string
  runtime: string
  sockets: string
  passwords: string
  initialPassword: string
  ownerLock: string
}

export function layoutOf(root: string): Layout {
  return {
    root,
    cluster: join(root, 'postgres'),
    unfinishedClusters: join(root, 'postgres.unfinished'),
    runtime: join(root, 'runtime'),
    sockets: join(root, 'run'),
    passwords: join(root, 'postgres.passwords.json'),
    initialPassword: join(root, 'postgres.initial-password'),
    ownerLock: join(root, 'postgres.owner'),
  }
}
