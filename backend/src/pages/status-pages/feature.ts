import type { RouteDeps } from '../../access/auth/index.ts'
import { CHANNEL_KINDS, channelEncrypter, pushCredentials } from '../../notifying/notifications/index.ts'
import type { InstallationSecrets } from '../../platform/crypto/installation-secrets.ts'
import type { Db } from '../../platform/db/index.ts'
import { defineFeature, type Routes, withEncrypter } from '../../platform/feature/feature.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { pageDomainRoutes } from './domains/routes.ts'
import { checkDueDomains, type DomainDeps } from './domains/service.ts'
import { createPageKeys, type PageKeys } from './pages/keys.ts'
import { statusPageRoutes } from './pages/routes.ts'
import { createPlannedAnnouncer, type PlannedDeps } from './posts/planned.ts'
import { statusPostRoutes } from './posts/routes.ts'
import { statusPagePreviewRoutes } from './preview/routes.ts'
import { type PublicPageDeps, publicPageRoutes } from './public/routes.ts'
import type { SubscribeRouteDeps } from './public/subscribe-routes.ts'
import {
  createPushPace,
  sendOfVisitors,
  sendStepMails,
  sendStepPushes,
  type SendStepsDeps,
  sendStepWebhooks,
} from './subscribers/send.ts'
import { subscriberRoutes } from './subscribers/routes.ts'
import { pushOfVisitors } from './subscribers/browsers.ts'
import { deleteUnconfirmed } from './subscribers/service.ts'
import { STEP_MAILS, STEP_PUSHES, STEP_WEBHOOKS } from './subscribers/store.ts'
import { createSubscriberTokens } from './subscribers/tokens.ts'

type Secrets = { secrets: InstallationSecrets }
type PublicContext = Pick<PublicPageDeps, 'copies' | 'publicUrl'> &
  Omit<SubscribeRouteDeps, 'keys' | 'tokens' | 'push' | 'ways' | 'hooks'> &
  RouteDeps &
  Secrets & { pushHosts: string; send: SendStepsDeps['send']; sendToVisitors: SendStepsDeps['send'] }
type Context = Omit<SendStepsDeps, 'encrypter' | 'kinds' | 'keys' | 'tokens' | 'mailer' | 'publicUrl' | 'push'> &
  PlannedDeps &
  Omit<DomainDeps, 'keys'> &
  Secrets & {
    bulkMailer: SendStepsDeps['mailer']
    publicUrl: (() => string) | undefined
    settings: { pushHosts: string }
  }

const withKeys =
  <Needed extends { keys: PageKeys }>(routes: Routes<Needed>): Routes<Omit<Needed, 'keys'> & Secrets> =>
  (app, context) =>
    routes(app, { ...context, keys: createPageKeys(context.secrets) } as unknown as Needed)

const publicRoutes: Routes<PublicContext> = (app, { secrets, pushHosts, ...context }) => {
  const keys = createPageKeys(secrets)
  const push = pushOfVisitors({ ...context, ...pushCredentials(secrets), hosts: pushHosts })
  const publicKey = pushHosts === 'none' ? undefined : push.keys[0].publicKey
  const ways = { sendsMail: context.outbox.sendsMail, publicKey }
  const hooks = { encrypter: channelEncrypter(secrets), kinds: CHANNEL_KINDS, send: sendOfVisitors(context) }
  const forms = { ...context, keys, tokens: createSubscriberTokens(secrets), push, ways, hooks }
  return publicPageRoutes(app, { ...context, keys, forms })
}

export const statusPageFeature = defineFeature({
  routes: [
    withKeys(statusPageRoutes),
    withKeys(pageDomainRoutes),
    statusPagePreviewRoutes,
    statusPostRoutes,
    withEncrypter(channelEncrypter, subscriberRoutes),
    publicRoutes,
  ],
  jobs: ({ secrets, lookup, bulkMailer: mailer, publicUrl, settings, ...context }: Context) => {
    const keys = createPageKeys(secrets)
    const steps = {
      ...context,
      mailer,
      encrypter: channelEncrypter(secrets),
      kinds: CHANNEL_KINDS,
      keys,
      tokens: createSubscriberTokens(secrets),
      push: pushOfVisitors({ ...context, ...pushCredentials(secrets), publicUrl, hosts: settings.pushHosts }),
    }
    const pace = createPushPace(context.clock)
    const planned = createPlannedAnnouncer(context)
    return {
      /** Sends posts to their subscribers. */
      sendStepMails: {
        name: 'mails of status pages',
        everyMs: 2_000,
        queues: [STEP_MAILS.table],
        isOff: !mailer.isSetUp,
        run: async () => {
          if (publicUrl) await sendStepMails({ ...steps, publicUrl })
        },
      },
      sendStepWebhooks: {
        name: 'webhooks of status pages',
        everyMs: 2_000,
        queues: [STEP_WEBHOOKS.table],
        run: async () => {
          if (publicUrl) await sendStepWebhooks({ ...steps, publicUrl })
        },
      },
      sendStepPushes: {
        name: 'notifications of status pages',
        everyMs: 2_000,
        queues: [STEP_PUSHES.table],
        run: async () => {
          if (publicUrl) await sendStepPushes({ ...steps, publicUrl }, pace)
        },
      },
      /** Reminds of planned maintenance, and announces its start and end. */
      announcePlanned: {
        name: 'planned maintenance of status pages',
        everyMs: 15_000,
        when: planned.isDue,
        run: planned.announce,
      },
      /** Looks up the TXT records that prove the domains of status pages, where that is due. */
      checkPageDomains: {
        name: 'domains of status pages',
        everyMs: 60_000,
        lease: { name: 'domains of status pages', holdMs: 240_000 },
        run: () => checkDueDomains({ ...context, keys, lookup }),
      },
    }
  },
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => deleteUnconfirmed(db, clock.now()),
})
