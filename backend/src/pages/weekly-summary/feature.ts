import type { InstallationSecrets } from '../../platform/crypto/installation-secrets.ts'
import { defineFeature, withEncrypter } from '../../platform/feature/feature.ts'
import type { Pool } from '../../platform/db/index.ts'
import { summaryEncrypter } from './link.ts'
import { weeklySummaryRoutes } from './routes.ts'
import { sendWeeklySummaries, type SummaryDeps } from './service.ts'

type Context = Omit<SummaryDeps, 'from' | 'encrypter'> & { pool: Pool; secrets: InstallationSecrets }

export const weeklySummaryFeature = defineFeature({
  routes: [withEncrypter(summaryEncrypter, weeklySummaryRoutes)],
  jobs: ({ pool, secrets, ...context }: Context) => ({
    /** Mails the weekly summaries that are due. */
    sendWeeklySummaries: {
      name: 'weekly summaries',
      everyMs: 60_000,
      // Instances that run the same would read the figures for nothing.
      lease: { name: 'weekly summaries', holdMs: 240_000 },
      // One that cannot send must not take the lease from those that can.
      isOff: !context.outbox.sendsMail || !context.publicUrl,
      run: () => sendWeeklySummaries({ ...context, from: pool, encrypter: summaryEncrypter(secrets) }),
    },
  }),
})
