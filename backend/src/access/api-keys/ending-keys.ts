import { toTimestamp } from '@vedette/shared'
import { composeMail, type Outbox } from '../../notifying/mail/index.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type EndingKey, findRecipients, takeEndingKeys } from './store.ts'

/** Days before the end of a key at which its maker gets a mail, the last first: a key of one day gets one mail. */
const REMINDERS = [1, 7]
/** Keys of one transaction; the next run takes the others. */
const AT_ONCE = 100

/** Mails the makers of keys that end soon; the owners where the maker has left. Once for each reminder, whichever instance runs it. */
export async function remindOfEndingKeys(deps: { db: Db; clock: Clock; outbox: Outbox }): Promise<void> {
  if (!deps.outbox.sendsMail) return
  for (const days of REMINDERS) {
    await inTransaction(deps.db, async (db) => {
      const at = new Date(deps.clock.now())
      for (const key of await takeEndingKeys(db, days, at, AT_ONCE)) {
        for (const { id, email } of await findRecipients(db, key.organization, key.created_by))
          await deps.outbox.put(db, { kind: 'user', id }, composeMail({ to: email, ...letterOf(key) }), at)
      }
    })
  }
}

export function letterOf({ name, prefix, organization_name: organization, language, expires_at: expiresAt }: EndingKey) {
  const when = `${toTimestamp(expiresAt.getTime()).slice(0, 16).replace('T', ' ')} UTC`
  return {
    language,
    subject: `An API key of ${organization} ends at ${when}`,
    paragraphs: [
      `The API key "${name}" (${prefix}…) of ${organization} ends at ${when}. Programs that use it are refused from then on.`,
      'Create another one in the settings, under API keys, and give it to them before.',
    ],
  }
}
