import {
  DAY_MS,
  type ErrorDetail,
  MAX_MAINTENANCE_DAYS,
  POST_STATUSES,
  type PostImpact,
  type PostStatus,
  type PostType,
} from '@vedette/shared'
import { maintenanceStatus } from '../reading/model.ts'

/** The fields of a post that depend on each other. */
export interface PostState {
  type: PostType
  status: PostStatus
  starts_at: Date
  ends_at: Date | null
  resolved_at: Date | null
}

const ENDED: ReadonlySet<PostStatus> = new Set(['resolved', 'completed'])

/**
 * The status at this instant. That of a maintenance follows from its times, unless it was ended: nothing runs when it starts or ends.
 */
export function statusAt(post: PostState, nowMs: number): PostStatus {
  if (post.type === 'incident' || post.resolved_at !== null || post.ends_at === null) return post.status
  return maintenanceStatus(post.starts_at.getTime(), post.ends_at.getTime(), nowMs)
}

/** When it ended; null while it has not. */
export function resolvedAt(post: PostState, nowMs: number): Date | null {
  return post.resolved_at ?? (statusAt(post, nowMs) === 'completed' ? post.ends_at : null)
}

/** The post after a step to this status. A maintenance that is said to be in progress has started. */
export function withStatus<T extends PostState>(post: T, status: PostStatus, at: Date): T {
  if (ENDED.has(status)) return { ...post, status, resolved_at: resolvedAt(post, at.getTime()) ?? at }
  const isEarly = status === 'in_progress' && at < post.starts_at
  return { ...post, status, resolved_at: null, ...(isEarly && { starts_at: at }) }
}

/** What a post may not be. `at` is now. */
export function faultsOf(post: PostState, at: Date): ErrorDetail[] {
  const { type, status, starts_at: startsAt, ends_at: endsAt } = post
  const statuses: readonly PostStatus[] = POST_STATUSES[type]
  if (!statuses.includes(status)) return [{ path: 'status', message: `must be one of ${statuses.join(', ')} for this type` }]
  if (type === 'incident') {
    if (endsAt !== null) return [{ path: 'ends_at', message: 'must be null for an incident' }]
    return startsAt > at ? [{ path: 'starts_at', message: 'must not be in the future for an incident' }] : []
  }
  if (endsAt === null) return [{ path: 'ends_at', message: 'is required for a maintenance' }]
  const lengthMs = endsAt.getTime() - startsAt.getTime()
  if (lengthMs <= 0) return [{ path: 'ends_at', message: 'must be after starts_at' }]
  if (lengthMs > MAX_MAINTENANCE_DAYS * DAY_MS)
    return [{ path: 'ends_at', message: `must be at most ${MAX_MAINTENANCE_DAYS} days after starts_at` }]
  return []
}

/** A status of a maintenance that contradicts its times, at the step that names it. */
export function stepFault(post: PostState, at: Date): ErrorDetail[] {
  const follows = statusAt(post, at.getTime())
  if (follows === post.status) return []
  return [{ path: 'status', message: `contradicts the times of the maintenance, by which it is ${follows}` }]
}

/** Of the statuses of what is affected, and of everything on the page. */
export function impactOf(affected: readonly string[], all: readonly string[]): PostImpact {
  if (affected.includes('down')) return all.every((status) => status === 'down' || status === 'paused') ? 'critical' : 'major'
  return affected.includes('degraded') ? 'minor' : 'none'
}
