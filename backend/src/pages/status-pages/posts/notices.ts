import { DAY_MS, HOUR_MS, MINUTE_MS } from '@vedette/shared'
import { type PostState, statusAt } from './state.ts'

/** What the times of a maintenance say to its subscribers, and when they are examined next. */
export interface Notice {
  /** Undefined: no step is due. */
  step?: 'reminder' | 'in_progress' | 'completed'
  /** Whether the step is sent; otherwise it is only shown. */
  isSent: boolean
  /** Null: never. */
  nextAt: Date | null
}

/** How long before its start subscribers are reminded of a maintenance. */
const REMINDER_MS = HOUR_MS
/** A reminder names the hour: one that could not be sent by then is left out. */
const REMINDER_LATE_MS = 5 * MINUTE_MS
/** As long as a notification is tried. */
const LATE_MS = DAY_MS

/**
 * When the times of this maintenance are examined next: now where its status does not follow from them any more, else at its reminder,
 * start or end, whichever comes first. Null for what has no times to come.
 */
export function nextNoticeAt(post: PostState, at: Date): Date | null {
  if (post.type !== 'maintenance' || post.resolved_at !== null || post.ends_at === null) return null
  const status = statusAt(post, at.getTime())
  if (status !== post.status && status !== 'scheduled') return at
  const startsAtMs = post.starts_at.getTime()
  const next = [startsAtMs - REMINDER_MS, startsAtMs, post.ends_at.getTime()].find((ms) => ms > at.getTime())
  return next === undefined ? null : new Date(next)
}

/**
 * The step that is due at this instant for a maintenance that was to be examined at `noticeAt`. Of a maintenance that began and ended
 * while nothing ran, only the end.
 */
export function noticeOf(post: PostState, noticeAt: Date, at: Date): Notice {
  const [nowMs, startsAtMs] = [at.getTime(), post.starts_at.getTime()]
  const status = statusAt(post, nowMs)
  const nextAt = nextNoticeAt({ ...post, status }, at)
  if (post.resolved_at === null && status !== post.status && (status === 'in_progress' || status === 'completed')) {
    const sinceMs = status === 'completed' && post.ends_at ? post.ends_at.getTime() : startsAtMs
    return { step: status, isSent: nowMs - sinceMs <= LATE_MS, nextAt }
  }
  const isReminder = status === 'scheduled' && noticeAt.getTime() === startsAtMs - REMINDER_MS
  const isLate = nowMs - noticeAt.getTime() > REMINDER_LATE_MS
  return { ...(isReminder && !isLate && { step: 'reminder' }), isSent: true, nextAt }
}
