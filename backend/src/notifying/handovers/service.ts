import { DAY_MS, HOUR_MS, MAX_SHIFT_DAYS } from '@vedette/shared'
import { readOpenIncidents } from '../../alerting/incidents/index.ts'
import { personText } from '../../access/auth/index.ts'
import type { Outbox } from '../mail/index.ts'
import { dutiesOf, findMembers, peopleOf, type Shift, shiftsIn } from '../on-call/index.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { encodeId } from '../../platform/ids.ts'
import type { Mail } from '../../platform/mail.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { beginMail, endMail, type Handover } from './mail.ts'
import * as store from './store.ts'

export interface HandoverDeps {
  db: Db
  clock: Clock
  log: Log
  outbox: Outbox
  /** Base URL of links; undefined where this process does not know it. */
  publicUrl: (() => string) | undefined
  /** The end of the program: no further schedule is examined. */
  ending: AbortSignal
}

/** A schedule is examined at least this often: people leave the organization. */
const EXAMINED_EVERY_MS = HOUR_MS
/** Incidents of a mail. */
const SHOWN = 10

/**
 * Mails those whose duty began or ended since the last run, once for each change, whichever instance runs it: the person on duty is
 * stored in the transaction that queues the mails. A schedule that fails is tried again by the next run.
 */
export async function sendHandoverMails(deps: HandoverDeps): Promise<void> {
  const { db, clock, log, outbox, publicUrl, ending } = deps
  if (!outbox.sendsMail || !publicUrl) return
  const at = new Date(clock.now())
  for (const { organization, id } of await store.listDue(db, at)) {
    if (ending.aborted) return
    try {
      await inTransaction(db, (transaction) => examine({ db: transaction, outbox }, publicUrl(), organization, id, at))
    } catch (error) {
      log.error({ err: error, organization, schedule: encodeId('schedule', id) }, 'the mails of a handover failed')
    }
  }
}

async function examine(
  { db, outbox }: Pick<HandoverDeps, 'db' | 'outbox'>,
  url: string,
  organization: number,
  id: string,
  at: Date,
): Promise<void> {
  const schedule = await store.lockDue(db, organization, id, at)
  if (!schedule) return
  const nowMs = at.getTime()
  const range = { fromMs: nowMs, toMs: nowMs + MAX_SHIFT_DAYS * DAY_MS }
  const members = await findMembers(db, organization, peopleOf(schedule))
  const duties = dutiesOf(shiftsIn(schedule, range, (userId) => members.has(userId)))
  const current = duties.filter(({ fromMs }) => fromMs === nowMs)
  const edges = duties.flatMap(({ fromMs, toMs }) => [fromMs, toMs]).filter((ms) => ms > nowMs)
  const changesMs = Math.min(range.toMs, ...edges)
  const before = schedule.on_duty
  const state = {
    on_duty: current.map(({ userId }) => userId),
    handover_at: new Date(Math.min(changesMs, nowMs + EXAMINED_EVERY_MS)),
  }
  await store.putOnDuty(db, organization, id, state)
  if (schedule.handover_at === null || sameAs(before, state.on_duty)) return
  const untilOf = (ms: number) => (ms < range.toMs ? ms : undefined)
  await queueMails({ db, outbox }, url, organization, schedule, current, untilOf, untilOf(changesMs), at)
}

const sameAs = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one) => others.includes(one))

async function queueMails(
  { db, outbox }: Pick<HandoverDeps, 'db' | 'outbox'>,
  url: string,
  organization: number,
  { id, name, time_zone: timeZone, on_duty: before }: store.DueSchedule,
  current: readonly Shift[],
  untilOf: (toMs: number) => number | undefined,
  changesMs: number | undefined,
  at: Date,
): Promise<void> {
  const now = current.map(({ userId }) => userId)
  const people = await store.findPeople(db, organization, [...before, ...now])
  const { name: organizationName, language } = await store.findOrganization(db, organization)
  const [leaving, coming] = [
    before.filter((userId) => !now.includes(userId)),
    current.filter(({ userId }) => !before.includes(userId)),
  ]
  const textsOf = (userIds: readonly string[]) => userIds.flatMap((userId) => people.get(userId) ?? []).map(personText)
  const handover: Handover = {
    organization: organizationName,
    language,
    schedule: { name, timeZone, url: `${url}/alerts/on-call/${encodeId('schedule', id)}` },
    before: textsOf(leaving),
    onDuty: textsOf(now),
    untilMs: changesMs,
  }
  const put = (userId: string, mail: Mail) => outbox.put(db, { organization, kind: 'user', id: userId }, mail, at)
  for (const userId of leaving) {
    const person = people.get(userId)
    if (person?.isVerified) await put(userId, endMail(person.email, handover))
  }
  if (coming.length === 0) return
  const { total, incidents } = await readOpenIncidents(db, organization, SHOWN)
  const items = incidents.map((one) => ({ name: one.summary, link: `${url}/incidents/${one.id}`, value: one.status }))
  for (const { userId, toMs } of coming) {
    const person = people.get(userId)
    const others = textsOf(now.filter((other) => other !== userId))
    const own = { ...handover, onDuty: others, untilMs: untilOf(toMs) }
    if (person?.isVerified) await put(userId, beginMail(person.email, own, { total, incidents: items }))
  }
}
