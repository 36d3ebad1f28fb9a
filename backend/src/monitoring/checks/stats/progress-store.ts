import { createProgressStore } from '../../../platform/db/index.ts'
import { HOUR_LOCK } from '../results/store.ts'

/** The lock of an hour waits until no late check of the hour is being stored, that of a day serializes its compaction. */
export const { lockHour, lockDay, readProgress, setProgress } = createProgressStore('check_progress', HOUR_LOCK)
