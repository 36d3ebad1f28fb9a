import type { CheckDefinition, CheckResult } from '@vedette/shared'
import type { Clock } from '../../platform/time/clock.ts'
import type { Db, Reader } from '../../platform/db/index.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'

/** Runs one check now from the backend's own region. A failed check is a result, not an exception. */
export interface Prober {
  check(definition: CheckDefinition): Promise<CheckResult>
}

export interface MonitorDeps {
  db: Db
  /** For statistics of lists; never inside a transaction, which would need a second connection. */
  reader: Reader
  clock: Clock
  /** Encrypts headers and bodies. */
  encrypter: Encrypter
  /** The backend's own region, the default of monitors. */
  region: string
  /** Where links and the addresses of pings lead. */
  publicUrl(): string
  /** Undefined when this backend runs no checks. */
  prober: Prober | undefined
}
