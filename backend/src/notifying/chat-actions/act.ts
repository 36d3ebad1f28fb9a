import { hash } from 'node:crypto'
import { type ChannelConfig, CHANNEL_TYPES, DAY_MS, oneLine, toTimestamp } from '@vedette/shared'
import {
  allows,
  findMembership,
  languageOfOrganization,
  type Tenant,
  unsignedMember,
  type UserPrincipal,
} from '../../access/auth/index.ts'
import { getIncident, isAction, readIncidentItem, takeActionOnce } from '../../alerting/incidents/index.ts'
import { changedMessage, truncate } from '../notifications/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { translate } from '../../platform/language/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Outcome, Press } from './services.ts'
import { type ChatUser, listSteps, type Step } from './store.ts'

/** A press of a person of a chat, by what the chat signs with. */
export type SignedPress = Press & { user: ChatUser }

/** Telegram sends an update again for a day; the others are refused sooner. */
const REPEATED_MS = DAY_MS

/** The shortest text that a chat shows has 200 characters. */
const MAX_NAME = 100

const DONE = { acknowledge: 'Acknowledged.', snooze: 'Acknowledged for an hour.', resolve: 'Resolved.' } as const

/** The channel of a press, and the address that it came from. */
export interface PressOrigin {
  config: ChannelConfig
  ip: string
}

/** Nothing changed, and this is why. */
export const refused = (text: string): Outcome => ({ text, isDone: false })

interface ActDeps {
  db: Db
  clock: Clock
  publicUrl(): string
}

/** Acts as the member whose account pressed, once for each press. */
export async function actAs(
  deps: ActDeps,
  tenant: Tenant,
  member: { userId: string; name: string },
  press: SignedPress,
  { config, ip }: PressOrigin,
): Promise<Outcome> {
  const { db, clock } = deps
  const { action, user } = press
  const principal = await principalOf(db, tenant, member.userId)
  if (!principal || !allows(principal, 'monitors:update')) return refused('Your role may not change incidents.')
  const before = await readIncidentItem(db, tenant, press.incidentId)
  if (!before) return refused('There is no such incident any more.')
  if (!isAction(action)) return refused('This button is unknown.')
  const incidentId = decodeId('incident', press.incidentId)
  const by = `by ${member.name} (${CHANNEL_TYPES[user.service].label})`
  const expiresAt = new Date(clock.now() + REPEATED_MS)
  const taken = { incidentId, action, comment: '', by, key: keyOf(press), expiresAt }
  const isFirst = await takeActionOnce(deps, { principal, ip }, taken)
  const wasDone = before.status === 'resolved' || (before.status === 'acknowledged' && action === 'acknowledge')
  return outcomeOf(deps, tenant, { incidentId, action, doer: isFirst && wasDone ? undefined : member.userId }, config)
}

async function principalOf(db: Db, tenant: Tenant, userId: string): Promise<UserPrincipal | undefined> {
  const membership = await findMembership(db, userId, tenant.id)
  return membership && unsignedMember(userId, membership)
}

/** What came of an action, by the incident as it is now: another person may have been faster. `doer`: the member who may have done it. */
async function outcomeOf(
  deps: ActDeps,
  tenant: Tenant,
  { incidentId, action, doer }: { incidentId: string; action: keyof typeof DONE; doer: string | undefined },
  config: ChannelConfig,
): Promise<Outcome> {
  const steps = await listSteps(deps.db, tenant.number, incidentId)
  const [since, latest] = [steps[0], steps.at(-1)]
  if (!since || !latest) return refused('The incident is open again.')
  const incident = await getIncident(deps, tenant, incidentId)
  const [publicUrl, nowMs] = [deps.publicUrl(), deps.clock.now()]
  const language = await languageOfOrganization(deps.db, tenant.number)
  const step = translate(textOf(latest, Date.parse(incident.opened_at)), language)
  const message = await changedMessage(config, incident, step, { publicUrl, nowMs, language })
  const isDone = doer !== undefined && latest.userId === doer && (latest.type === 'resolved') === (action === 'resolve')
  return { text: isDone ? DONE[action] : `Already ${textOf(since, nowMs)}.`, message, isDone }
}

/** `acknowledged by ada@example.com, 03:12 UTC, until 04:12 UTC`; a time of another day than `dayMs` has its date. */
function textOf({ type, at, name, until }: Step, dayMs: number): string {
  const timeOf = (date: Date) => {
    const [day = '', time = ''] = toTimestamp(date.getTime()).split('T')
    return `${toTimestamp(dayMs).startsWith(day) ? '' : `${day} `}${time.slice(0, 5)} UTC`
  }
  const by = name === undefined ? '' : ` by ${truncate(oneLine(name), MAX_NAME)}`
  return `${type}${by}, ${timeOf(at)}${until === undefined ? '' : `, until ${timeOf(until)}`}`
}

/** The same for a press that the chat sends again, whichever backend gets it. */
const keyOf = ({ id, user: { service, credential, id: userId } }: SignedPress): Buffer =>
  hash('sha256', `chat ${service} ${credential.toString('hex')} ${userId} ${id}`, 'buffer')
