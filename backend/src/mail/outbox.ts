import type { Db } from '../platform/db/index.ts'
import { newId } from '../platform/ids.ts'
import type { Mail } from '../platform/mail.ts'
import { createSealer, type Sealer } from '../platform/sealer.ts'
import type { InstallationSecrets } from '../platform/secrets.ts'
import { type About, insertMail } from './store.ts'

/** Where mails are put to be sent by whoever sends them, at least once. */
export interface Outbox {
  /**
   * Stores the mail, sealed, with the transaction that is passed; it goes out some seconds after the commit. Where no mail server
   * is set up nothing is stored.
   */
  put(db: Db, about: About, mail: Mail, at: Date): Promise<void>
}

/** Seals mails until they are sent. */
export const mailSealer = (secrets: InstallationSecrets): Sealer => createSealer(secrets.derive('mail'))

export function createOutbox(sealer: Sealer, sendsMail: boolean): Outbox {
  return {
    put: async (db, about, mail, at) => {
      if (!sendsMail) return
      const id = newId()
      await insertMail(db, id, about, sealer.seal(Buffer.from(JSON.stringify(mail)), id), at)
    },
  }
}
