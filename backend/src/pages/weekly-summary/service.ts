import { isTimeZone, type Membership, type PatchMembershipBody } from '@vedette/shared'
import { putQuietTime, putSavedViews, readMe, type UserPrincipal } from '../../access/auth/index.ts'
import type { Outbox } from '../../notifying/mail/index.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { type Db, inTransaction, type ReadSource, withLongStatements } from '../../platform/db/index.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { encodeId } from '../../platform/ids.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { readWeek } from './figures.ts'
import { unsubscribeUrl } from './link.ts'
import { summaryMail } from './mail.ts'
import * as store from './store.ts'
import { dueWeek } from './week.ts'

/** Changes one's own membership. Throws not_found where it has ended. */
export async function changeMembership(
  deps: { db: Db; clock: Clock },
  user: UserPrincipal,
  { weekly_summary: isOn, saved_views: views, quiet_time: quiet }: PatchMembershipBody,
): Promise<Membership> {
  if (!user.tenant) throw notFound()
  const { number, id } = user.tenant
  if (quiet && !isTimeZone(quiet.time_zone))
    throw invalid({ path: 'quiet_time.time_zone', message: 'must be a time zone, for example Europe/Berlin' })
  if (quiet && quiet.from === quiet.to) throw invalid({ path: 'quiet_time.to', message: 'must not be equal to from' })
  const { nextDueMs } = dueWeek(deps.clock.now())
  await inTransaction(deps.db, async (db) => {
    if (isOn === true) await store.turnOn(db, number, user.userId, new Date(nextDueMs))
    else if (isOn === false) await store.turnOff(db, number, user.userId)
    if (views) await putSavedViews(db, number, user.userId, views)
    if (quiet !== undefined) await putQuietTime(db, number, user.userId, quiet)
  })
  const { organizations } = await readMe(deps, user)
  const membership = organizations.find((organization) => organization.id === encodeId('organization', id))
  if (!membership) throw notFound()
  return membership
}

export interface SummaryDeps {
  from: ReadSource
  clock: Clock
  log: Log
  outbox: Outbox
  encrypter: Encrypter
  /** Base URL of links; undefined where this process does not know it. */
  publicUrl: (() => string) | undefined
  /** The end of the program: no further organization is summarized. */
  ending: AbortSignal
}

/** Organizations of one statement. */
const AT_ONCE = 100

/**
 * Mails the summaries that are due, once for each membership and week, whichever instance runs it: what is due is taken in the
 * transaction that queues the mails. An organization whose figures cannot be read is tried again by the next run.
 */
export async function sendWeeklySummaries(deps: SummaryDeps): Promise<void> {
  const { clock, log, outbox, publicUrl, ending } = deps
  if (!outbox.sendsMail || !publicUrl) return
  const at = new Date(clock.now())
  let after = 0
  for (;;) {
    const due = await store.listDue(deps.from.db, at, after, AT_ONCE)
    for (const organization of due) {
      if (ending.aborted) return
      after = organization.number
      try {
        await withLongStatements(() => summarize(deps, publicUrl(), organization, at))
      } catch (error) {
        log.error({ err: error, organization: organization.number }, 'a weekly summary failed and is tried again')
      }
    }
    if (due.length < AT_ONCE) return
  }
}

async function summarize(
  { from, outbox, encrypter }: SummaryDeps,
  url: string,
  { number: organization, name, language }: store.DueOrganization,
  at: Date,
): Promise<void> {
  const { nextDueMs, ...week } = dueWeek(at.getTime())
  // Read before anything is locked. A second instance may read the same for nothing.
  const figures = await readWeek(from, organization, week, at.getTime())
  await inTransaction(from.db, async (db) => {
    for (const { userId, email } of await store.takeDue(db, organization, at, new Date(nextDueMs))) {
      if (!figures) continue
      const letter = {
        to: email,
        organization: name,
        language,
        url,
        unsubscribeUrl: unsubscribeUrl(encrypter, url, { organization, userId }),
      }
      await outbox.put(db, { organization, kind: 'user', id: userId }, summaryMail(letter, figures), at)
    }
  })
}
