import { accessSync, constants, existsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createApiKey } from './api-keys/index.ts'
import { findFirstOrganization } from './organizations/index.ts'
import { type BackgroundJob, repeat } from './platform/background.ts'
import type { Clock } from './platform/clock.ts'
import { type Db, inTransaction } from './platform/db/index.ts'
import type { Log } from './platform/log.ts'
import { claimOnce } from './setup/index.ts'

const LOOK_EVERY_MS = 500

/**
 * Writes an API key of scope agent to the file that the settings name, once in the life of the installation, as soon as an
 * organization exists: what provisions hosts reads it there.
 */
export function startBootstrapKey(db: Db, clock: Clock, log: Log, file: string | undefined): BackgroundJob {
  return repeat('bootstrap key', LOOK_EVERY_MS, clock, log, async () => {
    if (file === undefined) return 'done'
    const organization = await findFirstOrganization(db)
    if (!organization) return 'none yet'
    await inTransaction(db, async (transaction) => {
      if (!(await claimOnce(transaction, 'bootstrap_api_key', new Date(clock.now())))) return
      // Before there is a key: where its file cannot be written, each try would leave one more behind.
      accessSync(existsSync(file) ? file : dirname(file), constants.W_OK)
      const wish = { name: 'bootstrap', scopes: ['agent' as const], createdBy: null }
      // Committed by itself: who waits for the file may use its key at once.
      const key = await inTransaction(db, (own) => createApiKey(own, clock, organization.number, wish))
      // Before the claim is: a key that no file holds would be lost, and where the claim is rolled back another is written.
      writeFileSync(file, `${key.secret}\n`, { mode: 0o600 })
    })
    return 'done'
  })
}
