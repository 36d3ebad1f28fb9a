import { hash } from 'node:crypto'
import { CHANNEL_TYPES, DAY_MS, oneLine, toTimestamp } from '@vedette/shared'
import { allows, findMembership, type Tenant, type UserPrincipal } from '../auth/index.ts'
import { isAction, readIncidentItem, takeActionOnce } from '../incidents/index.ts'
import { truncate } from '../notifications/index.ts'
import type { Db } from '../platform/db/index.ts'
import { decodeId } from '../platform/ids.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Press } from './services.ts'
import { type ChatUser, listSteps, type Step } from './store.ts'

/** A press of a person of a chat, by what the chat signs with. */
export type SignedPress = Press & { user: ChatUser }

/** Telegram sends an update again for a day; the others are refused sooner. */
const REPEATED_MS = DAY_MS

/** The shortest text that a chat shows has 200 characters. */
const MAX_NAME = 100

const DONE = { acknowledge: 'Acknowledged.', snooze: 'Acknowledged for an hour.', resolve: 'Resolved.' } as const

/** Acts as the member whose account pressed, once for each press; the text says what came of it. */
export async function actAs(
  deps: { db: Db; clock: Clock },
  tenant: Tenant,
  member: { userId: string; email: string },
  press: SignedPress,
  ip: string,
): Promise<string> {
  const { db, clock } = deps
  const { action, user } = press
  const membership = await findMembership(db, member.userId, tenant.id)
  const principal: UserPrincipal | undefined = membership && {
    kind: 'user',
    userId: member.userId,
    sessionId: '',
    identityProvider: undefined,
    passkey: undefined,
    ...membership,
  }
  if (!principal || !allows(principal, 'monitors:update')) return 'Your role may not change incidents.'
  const incident = await readIncidentItem(db, tenant, press.incidentId)
  if (!incident) return 'There is no such incident any more.'
  if (!isAction(action)) return 'This button is unknown.'
  const incidentId = decodeId('incident', press.incidentId)
  const isFirst = await takeActionOnce(
    deps,
    { principal, ip },
    {
      incidentId,
      action,
      comment: '',
      by: `by ${member.email} (${CHANNEL_TYPES[user.service].label})`,
      key: keyOf(press),
      expiresAt: new Date(clock.now() + REPEATED_MS),
    },
  )
  // Not those before: another person may have been faster.
  const steps = await listSteps(db, tenant.number, incidentId)
  const [since, latest] = [steps[0], steps.at(-1)]
  if (!since || !latest) return 'The incident is open again.'
  const wasDone = incident.status === 'resolved' || (incident.status === 'acknowledged' && action === 'acknowledge')
  const isOwn = latest.userId === member.userId && !(isFirst && wasDone)
  return isOwn ? DONE[action] : `Already ${textOf(since, clock.now())}.`
}

/** `acknowledged by ada@example.com, 03:12 UTC`; a time of another day than `dayMs` has its date. */
function textOf({ type, at, email }: Step, dayMs: number): string {
  const [day = '', time = ''] = toTimestamp(at.getTime()).split('T')
  const date = toTimestamp(dayMs).startsWith(day) ? '' : `${day} `
  const by = email === undefined ? '' : ` by ${truncate(oneLine(email), MAX_NAME)}`
  return `${type}${by}, ${date}${time.slice(0, 5)} UTC`
}

/** The same for a press that the chat sends again, whichever backend gets it. */
const keyOf = ({ id, user: { service, credential, id: userId } }: SignedPress): Buffer =>
  hash('sha256', `chat ${service} ${credential.toString('hex')} ${userId} ${id}`, 'buffer')
