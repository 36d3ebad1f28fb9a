import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Kinds } from './kinds.ts'

export interface ChangeSetDeps {
  db: Db
  clock: Clock
  encrypter: Encrypter
  kinds: Kinds
}
