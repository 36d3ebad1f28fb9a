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
  const current = duties.find(({ fromMs }) => fromMs === nowMs)
  const changesMs = current ? current.toMs : (duties[0]?.fromMs ?? range.toMs)
  const state = {
    on_duty: current?.userId ?? null,
    handover_at: new Date(Math.min(changesMs, nowMs + EXAMINED_EVERY_MS)),
  }
  await store.putOnDuty(db, organization, id, state)
  if (schedule.handover_at === null || schedule.on_duty === state.on_duty) return
  await queueMails({ db, outbox }, url, organization, schedule, current, changesMs < range.toMs ? changesMs : undefined, at)
}

async function queueMails(
  { db, outbox }: Pick<HandoverDeps, 'db' | 'outbox'>,
  url: string,
  organization: number,
  { id, name, time_zone: timeZone, on_duty: before }: store.DueSchedule,
  current: Shift | undefined,
  untilMs: number | undefined,
  at: Date,
): Promise<void> {
  const people = await store.findPeople(
    db,
    organization,
    [before, current?.userId].filter((userId) => typeof userId === 'string'),
  )
  const [leaving, coming] = [people.get(before ?? ''), people.get(current?.userId ?? '')]
  const { name: organizationName, language } = await store.findOrganization(db, organization)
  const handover: Handover = {
    organization: organizationName,
    language,
    schedule: { name, timeZone, url: `${url}/alerts/on-call/${encodeId('schedule', id)}` },
    before: leaving && personText(leaving),
    onDuty: coming && personText(coming),
    untilMs,
  }
  const put = (userId: string, mail: Mail) => outbox.put(db, { organization, kind: 'user', id: userId }, mail, at)
  if (before !== null && leaving?.isVerified) await put(before, endMail(leaving.email, handover))
  if (!current || !coming?.isVerified) return
  const { total, incidents } = await readOpenIncidents(db, organization, SHOWN)
  const items = incidents.map((one) => ({ name: one.summary, link: `${url}/incidents/${one.id}`, value: one.status }))
  await put(current.userId, beginMail(coming.email, handover, { total, incidents: items }))
}
