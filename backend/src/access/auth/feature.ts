import { defineFeature, withEncrypter } from '../../platform/feature/feature.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { sendResets, type SendResetsDeps } from './password-reset.ts'
import { authRoutes } from './routes.ts'
import { deleteExpired } from './sessions.ts'
import { totpEncrypter } from './totp-encrypter.ts'

/** `publicUrl` is undefined where this process does not know it, and leaves the mails to one that serves. */
type Context = Omit<SendResetsDeps, 'publicUrl'> & { publicUrl: (() => string) | undefined }

export const authFeature = defineFeature({
  routes: [withEncrypter(totpEncrypter, authRoutes)],
  jobs: ({ publicUrl, ...context }: Context) => ({
    /** Mails the requested links to reset a password. */
    sendResets: {
      name: 'password resets',
      everyMs: 2_000,
      isOff: !context.mailer.isSetUp,
      run: async () => {
        if (publicUrl) await sendResets({ ...context, publicUrl })
      },
    },
  }),
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => deleteExpired(db, clock.now()),
})
