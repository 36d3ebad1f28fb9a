import type { Clock } from '../platform/clock.ts'
import type { Pool } from '../platform/db/index.ts'
import type { Log } from '../platform/log.ts'
import type { Tell } from './export.ts'

export interface ImportDeps {
  pool: Pool
  /** The same database past a pooler: migrations hold locks over several statements. */
  direct: Pool
  clock: Clock
  log: Log
  tell: Tell
}
