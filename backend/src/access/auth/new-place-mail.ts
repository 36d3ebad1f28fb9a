import { toTimestamp } from '@vedette/shared'
import type { Outbox } from '../../notifying/mail/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { type Language, translate } from '../../platform/language/index.ts'
import type { Mail } from '../../platform/mail.ts'
import { cleanUserAgent } from '../security-log/index.ts'
import type { Origin } from './account-event.ts'
import * as store from './store.ts'

/** Mails a user that they signed in from a new place. */
export async function mailNewPlace(db: Db, outbox: Outbox, userId: string, origin: Origin, at: Date): Promise<void> {
  const user = await store.findUserById(db, userId)
  if (!user) return
  await outbox.put(
    db,
    { kind: 'user', id: userId },
    newPlaceMail(user.email, origin, at, await store.languageOfUser(db, userId)),
    at,
  )
}

export function newPlaceMail(to: string, { ip, userAgent }: Origin, at: Date, language: Language): Mail {
  const say = (text: string) => translate(text, language)
  const first = say('Somebody, most likely you, signed in to your account at Vedette from a new place.')
  const facts = [
    say(`When: ${toTimestamp(at.getTime()).slice(0, 16).replace('T', ' ')} UTC`),
    say(`Address: ${ip}`),
    // Without angle brackets the header cannot become a tag.
    say(`Program: ${cleanUserAgent(userAgent).replaceAll(/[<>&]/g, ' ') || 'unknown'}`),
  ]
  const last = say(
    'If it was you, there is nothing to do. If not, change your password in the settings of your account: that ends all sessions.',
  )
  return {
    to,
    subject: say('New sign-in to Vedette'),
    text: `${first}\n\n${facts.join('\n')}\n\n${last}\n`,
    html: `<p>${first}</p><p>${facts.join('<br>')}</p><p>${last}</p>`,
  }
}
