import type { Clock } from '../../platform/time/clock.ts'
import type { Pool } from '../../platform/db/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { ReportProgress } from './export.ts'

export interface ImportDeps {
  pool: Pool
  /** The same database past a pooler: migrations hold locks over several statements. */
  direct: Pool
  clock: Clock
  log: Log
  reportProgress: ReportProgress
}
