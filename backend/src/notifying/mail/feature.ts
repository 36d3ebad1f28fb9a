import type { InstallationSecrets } from '../../platform/crypto/installation-secrets.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import { mailEncrypter, OUTBOX } from './outbox.ts'
import { deleteUnconfirmedMails } from './unconfirmed-store.ts'
import { giveUpOldMails, sendMails, type SendMailsDeps } from './send.ts'

type Context = Omit<SendMailsDeps, 'encrypter'> & { secrets: InstallationSecrets }

export const mailFeature = defineFeature({
  jobs: ({ secrets, ...context }: Context) => ({
    /** Sends the mails of the outbox. */
    sendMails: {
      name: 'mail',
      everyMs: 2_000,
      queues: [OUTBOX.table],
      isOff: !context.mailer.isSetUp,
      run: () => sendMails({ ...context, encrypter: mailEncrypter(secrets) }),
    },
  }),
  deleteExpired: async ({ secrets, ...context }: Context) => {
    await giveUpOldMails({ ...context, encrypter: mailEncrypter(secrets) })
    await deleteUnconfirmedMails(context.db, context.clock.now())
  },
})
