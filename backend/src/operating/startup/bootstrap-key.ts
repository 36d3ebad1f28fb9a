import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { createApiKey } from '../../access/api-keys/index.ts'
import { findFirstOrganization } from '../../access/organizations/index.ts'
import { type BackgroundJob, repeat } from '../../platform/concurrency/background-job.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import { writePrivateFile } from '../../platform/system/private-file.ts'
import { claimOnce } from '../setup/index.ts'

const CHECK_EVERY_MS = 500

/**
 * Writes an API key of scope agent to the file of the settings, once per installation, as soon as an organization exists.
 * Provisioning tools read it there. Resolves after the first try: where the organization exists, the file does as well.
 */
export async function startBootstrapKey(db: Db, clock: Clock, log: Log, file: string | undefined): Promise<BackgroundJob> {
  const write = async (): Promise<'done' | 'none yet'> => {
    if (file === undefined) return 'done'
    const organization = await findFirstOrganization(db)
    if (!organization) return 'none yet'
    await inTransaction(db, async (transaction) => {
      if (!(await claimOnce(transaction, 'bootstrap_api_key', new Date(clock.now())))) return
      // Checked before the key is created: otherwise each failed write would leave a key behind.
      accessSync(existsSync(file) ? file : dirname(file), constants.W_OK)
      const input = { name: 'bootstrap', scopes: ['agent' as const], createdBy: null }
      // Committed separately: a reader of the file can use the key at once.
      const key = await inTransaction(db, (own) => createApiKey(own, clock, organization.number, input))
      // Written before the claim commits: a key without a file would be lost, and a rolled-back claim writes another key.
      writePrivateFile(file, `${key.secret}\n`)
    })
    return 'done'
  }
  const first = await write().catch((error: unknown) => {
    log.error({ err: error, file }, 'the bootstrap key could not be written; it will be tried again')
  })
  return first === 'done' ? { stop: () => Promise.resolve() } : repeat('bootstrap key', CHECK_EVERY_MS, clock, log, write)
}
