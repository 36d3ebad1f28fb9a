import { createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MIN_KEY_BYTES = 32
const SECRET_FILE = 'secret.key'

/** The installation's secrets, newest first: the newest signs, all of them are accepted. */
export interface InstallationSecrets {
  /** 32 bytes for one purpose, one per secret, newest first. Another purpose gives unrelated bytes. */
  derive(purpose: string): [Buffer, ...Buffer[]]
  /** Tells one set of secrets from another without revealing any: SHA-256 of each secret's own derived key, newest first. */
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

/** The secret kept in the data folder, made at the first start with mode 0600. */
export function loadOrCreateSecret(dataDir: string): { secret: string; isNew: boolean } {
  const file = join(dataDir, SECRET_FILE)
  const isNew = !existsSync(file)
  if (isNew) createWhole(file, `${randomBytes(MIN_KEY_BYTES).toString('base64url')}\n`)
  chmodSync(file, 0o600)
  const secret = readFileSync(file, 'utf8').trim()
  if (Buffer.byteLength(secret) < MIN_KEY_BYTES)
    throw new Error(`${file} is damaged: it must hold a secret of ${MIN_KEY_BYTES} bytes or more`)
  return { secret, isNew }
}

/** The secret kept in the data folder; undefined where none is. Makes nothing. */
export function readSecret(dataDir: string): string | undefined {
  const file = join(dataDir, SECRET_FILE)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

export function removeSecret(dataDir: string): void {
  rmSync(join(dataDir, SECRET_FILE), { force: true })
}

/** Makes the file appear with its content, for its owner only; one that another instance made meanwhile stays. */
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
