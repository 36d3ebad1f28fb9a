import { createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPrivateFile } from '../system/private-file.ts'

const MIN_KEY_BYTES = 32
export const SECRET_FILE = 'secret.key'

/** The installation's secrets, newest first: the newest signs, all of them are accepted. */
export interface InstallationSecrets {
  /** 32 bytes for one purpose, one per secret, newest first. Another purpose gives unrelated bytes. */
  derive(purpose: string): [Buffer, ...Buffer[]]
  /** Distinguishes sets of secrets without revealing any: SHA-256 of each secret's own derived key, newest first. */
  fingerprints(): string[]
}

export function createSecrets(keys: readonly string[]): InstallationSecrets {
  const derive = (purpose: string) =>
    keys.map((key) => Buffer.from(hkdfSync('sha256', key, 'vedette', purpose, MIN_KEY_BYTES))) as [Buffer, ...Buffer[]]
  return {
    derive,
    fingerprints: () => derive('fingerprint').map((key) => createHash('sha256').update(key).digest('hex')),
  }
}

/** The secret in the data folder, made at the first start with mode 0600. Throws UntrustedPathError for a link or another user's file. */
export function loadOrCreateSecret(dataDir: string): { secret: string; isNew: boolean } {
  const file = join(dataDir, SECRET_FILE)
  const isNew = readPrivateFile(file) === undefined
  if (isNew) createWhole(file, `${randomBytes(MIN_KEY_BYTES).toString('base64url')}\n`)
  const secret = readPrivateFile(file)?.trim() ?? ''
  if (Buffer.byteLength(secret) < MIN_KEY_BYTES)
    throw new Error(`${file} is damaged: it must hold a secret of ${MIN_KEY_BYTES} bytes or more`)
  return { secret, isNew }
}

/** The secret in the data folder; undefined where there is none. */
export function readSecret(dataDir: string): string | undefined {
  return readPrivateFile(join(dataDir, SECRET_FILE))?.trim()
}

/** Puts a secret into a data folder that has none. False where there is one, which stays. */
export function storeSecret(dataDir: string, secret: string): boolean {
  const file = join(dataDir, SECRET_FILE)
  if (readPrivateFile(file) !== undefined) return false
  createWhole(file, `${secret}\n`)
  return true
}

export function removeSecret(dataDir: string): void {
  rmSync(join(dataDir, SECRET_FILE), { force: true })
}

/** Makes the file appear with its content, for its owner only; one that another instance made in the meantime stays. */
function createWhole(file: string, content: string): void {
  const own = `${file}.${randomUUID()}`
  writeFileSync(own, content, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(own, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(own)
  }
}
