import { createProgressStore } from '../../platform/db/index.ts'

/** Class of the advisory locks of hours: only one transaction at a time compacts an hour or adds late samples to it. */
const HOUR_LOCK = 730_525

export const { lockHour, lockDay, readProgress, setProgress } = createProgressStore('metric_progress', HOUR_LOCK)
