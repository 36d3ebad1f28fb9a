import { mkdirSync, realpathSync, statSync } from 'node:fs'
import { assertOwnFolder } from '../../platform/system/private-file.ts'

/** Makes the data folder (0700) where it is missing. Throws UntrustedPathError when root runs in a folder that others can write into. */
export function makeDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  assertOwnFolder(realpathSync(dataDir))
}

/**
 * Before root starts the database of another user's data folder: root becomes that user, for the rest of the process. Everything
 * that is started and written there belongs to the user then, and a link that they planted leads nowhere they may not go.
 */
export function becomeOwner(dataDir: string): void {
  const owner = statSync(dataDir, { throwIfNoEntry: false })
  if (process.getuid?.() !== 0 || !owner || owner.uid === 0) return
  process.setgroups?.([owner.gid])
  process.setgid?.(owner.gid)
  process.setuid?.(owner.uid)
}
