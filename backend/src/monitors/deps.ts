import type { CheckDefinition, CheckResult } from '@vedette/shared'
import type { Clock } from '../platform/clock.ts'
import type { Db, Reader } from '../platform/db/index.ts'
import type { Sealer } from '../platform/sealer.ts'

/** Makes one check now, from the backend's own region. A check that fails is a result, not a throw. */
export interface Prober {
  check(definition: CheckDefinition): Promise<CheckResult>
}

export interface MonitorDeps {
  db: Db
  /** For what the checks of a list add up to; never within a transaction, which would wait for a second connection. */
  reader: Reader
  clock: Clock
  /** Of what a check sends: headers and body. */
  sealer: Sealer
  /** The backend's own region, from which monitors are checked that name none. */
  region: string
  /** Undefined where this backend makes no checks. */
  prober: Prober | undefined
}
