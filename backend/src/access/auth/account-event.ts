import type { Clock } from '../../platform/time/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { recordSecurityEvent, type SecurityEventType } from '../security-log/index.ts'

/** The origin of a request, as sessions and the logs store it. */
export interface Origin {
  ip: string
  /** The User-Agent header. */
  userAgent: string
  /** Aborts when the client closes the connection. */
  signal?: AbortSignal
}

/** Records what its user, or who claims to be it, did with an account; without one the e-mail was nobody's. */
export async function recordAccountEvent(
  { db, clock }: { db: Db; clock: Clock },
  type: SecurityEventType,
  userId: string | undefined,
  { ip, userAgent }: Origin,
  details: object = {},
): Promise<void> {
  const principal = userId === undefined ? undefined : ({ kind: 'user', userId } as const)
  await recordSecurityEvent(db, { type, principal, userId, ip, userAgent, details }, new Date(clock.now()))
}
