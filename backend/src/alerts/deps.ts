import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'

export interface AlertDeps {
  db: Db
  clock: Clock
}
