import type { Clock } from '../../platform/time/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import {
  createSecrets,
  type InstallationSecrets,
  loadOrCreateSecret,
  removeSecret,
} from '../../platform/crypto/installation-secrets.ts'
import type { Settings } from '../settings/index.ts'
import { claimSecrets } from '../setup/index.ts'
import { makeDataDir } from './data-dir.ts'

/**
 * The secrets of the settings, otherwise those of the data folder, created there at the first start. Throws when the database
 * belongs to an installation with other secrets. A secret that was just created is then deleted again: an operator must not
 * mistake it for the lost one.
 */
export async function claimedSecrets({ secretKeys, dataDir }: Settings, clock: Clock, db: Db): Promise<InstallationSecrets> {
  if (!secretKeys) makeDataDir(dataDir)
  const stored = secretKeys ? undefined : loadOrCreateSecret(dataDir)
  const secrets = createSecrets(secretKeys ?? [stored?.secret ?? ''])
  try {
    await claimSecrets(db, secrets, new Date(clock.now()))
  } catch (error) {
    if (stored?.isNew) removeSecret(dataDir)
    throw error
  }
  return secrets
}
