import { mkdirSync, realpathSync } from 'node:fs'
import { assertOwnFolder } from '../platform/system/private-file.ts'

/** Makes the data folder (0700) where it is missing. Throws UntrustedPathError when root runs in a folder that others can write into. */
export function makeDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  assertOwnFolder(realpathSync(dataDir))
}
