import { defineFeature } from '../../platform/feature/feature.ts'
import { sendHandoverMails } from './service.ts'

type Context = Parameters<typeof sendHandoverMails>[0]

export const handoverFeature = defineFeature({
  jobs: (context: Context) => ({
    /** Mails those whose duty in an on-call schedule begins or ends. */
    sendHandoverMails: {
      name: 'mails of handovers',
      everyMs: 10_000,
      isOff: !context.outbox.sendsMail,
      run: () => sendHandoverMails(context),
    },
  }),
})
