import { mkdirSync } from 'node:fs'
import type { Clock } from './platform/clock.ts'
import type { Db } from './platform/db/index.ts'
import { createSecrets, type InstallationSecrets, loadOrCreateSecret, removeSecret } from './platform/secrets.ts'
import type { Settings } from './settings.ts'
import { claimSecrets } from './setup/index.ts'

/**
 * The secrets of the settings, else those of the data folder, made there at the first start. Throws when the database belongs to
 * an installation with others. One that was just made and is refused is taken away again: an operator must not take it for the
 * lost one.
 */
export async function claimedSecrets({ secretKeys, dataDir }: Settings, clock: Clock, db: Db): Promise<InstallationSecrets> {
  if (!secretKeys) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const kept = secretKeys ? undefined : loadOrCreateSecret(dataDir)
  const secrets = createSecrets(secretKeys ?? [kept?.secret ?? ''])
  try {
    await claimSecrets(db, secrets, new Date(clock.now()))
  } catch (error) {
    if (kept?.isNew) removeSecret(dataDir)
    throw error
  }
  return secrets
}
