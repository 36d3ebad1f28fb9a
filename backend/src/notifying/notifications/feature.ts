import type { InstallationSecrets } from '../../platform/crypto/installation-secrets.ts'
import { defineFeature, type Routes, withEncrypter } from '../../platform/feature/feature.ts'
import type { RouteDeps } from '../../access/auth/index.ts'
import { createConfirmLinks } from '../mail/index.ts'
import { actionEncrypter } from './action-links/link.ts'
import { createPushSender, type PushSenderDeps } from './browsers/sender.ts'
import { browserRoutes } from './browsers/routes.ts'
import type { BrowserDeps } from './browsers/service.ts'
import { pushCredentials } from './browsers/vapid.ts'
import { channelEncrypter } from './channels/encrypter.ts'
import { type ConfirmDeps, confirmAddressRoutes } from './channels/confirm-routes.ts'
import { channelRoutes } from './channels/routes.ts'
import { contactMethodRoutes } from './contacts/routes.ts'
import { channelTestRoutes } from './deliveries/routes.ts'
import { createSender, type SenderDeps } from './deliveries/sender.ts'
import { DELIVERIES, PUSHES } from './deliveries/store.ts'
import { CHANNEL_KINDS } from './kinds/index.ts'

type Context = Omit<SenderDeps, 'encrypter' | 'actionEncrypter' | 'kinds' | 'groupMs'> &
  Omit<PushSenderDeps, 'encrypter' | 'keys'> & { settings: { notificationGroupSeconds: number }; secrets: InstallationSecrets }

type BrowserContext = Omit<BrowserDeps, 'encrypter' | 'keys'> & RouteDeps & { secrets: InstallationSecrets }

type ConfirmContext = Omit<ConfirmDeps, 'confirmLinks'> & { secrets: InstallationSecrets }

/** Routes that send to channels of every kind. */
const withKinds =
  <Needed extends { kinds: SenderDeps['kinds'] }>(routes: Routes<Needed>): Routes<Omit<Needed, 'kinds'>> =>
  (app, context) =>
    routes(app, { ...context, kinds: CHANNEL_KINDS } as unknown as Needed)

export const notificationFeature = defineFeature({
  routes: [
    withEncrypter(channelEncrypter, channelRoutes),
    withEncrypter(channelEncrypter, withKinds(channelTestRoutes)),
    withEncrypter(channelEncrypter, withKinds(contactMethodRoutes)),
    ((app, { db, secrets }) =>
      confirmAddressRoutes(app, { db, confirmLinks: createConfirmLinks(secrets, undefined) })) satisfies Routes<ConfirmContext>,
    ((app, context) => browserRoutes(app, { ...context, ...pushCredentials(context.secrets) })) satisfies Routes<BrowserContext>,
  ],
  jobs: ({ secrets, settings, ...context }: Context) => {
    const sender = createSender({
      ...context,
      encrypter: channelEncrypter(secrets),
      actionEncrypter: actionEncrypter(secrets),
      kinds: CHANNEL_KINDS,
      groupMs: settings.notificationGroupSeconds * 1000,
    })
    const pushSender = createPushSender({ ...context, ...pushCredentials(secrets) })
    return {
      /** Starts the due deliveries without waiting for them. */
      startDeliveries: {
        name: 'deliveries',
        everyMs: 1_000,
        queues: [DELIVERIES.table, PUSHES.table],
        run: () => Promise.all([sender.wake(), pushSender.wake()]),
        idle: () => Promise.all([sender.idle(), pushSender.idle()]),
      },
    }
  },
})
