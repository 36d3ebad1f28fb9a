import { restorableSince } from '../../access/auth/index.ts'
import { type Db, removeDeletedBefore } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { Clock } from '../../platform/time/clock.ts'

export const deletionFeature = defineFeature({
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => removeDeletedBefore(db, restorableSince(clock.now())),
})
