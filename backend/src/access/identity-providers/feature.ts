import { createPolicyConnect } from '../../monitoring/checks/index.ts'
import { createRequester } from '../../notifying/notifications/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { defineFeature, withEncrypter } from '../../platform/feature/feature.ts'
import type { App } from '../../platform/http/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { checkDueProviders, type ProviderDomainDeps } from './domains.ts'
import { createProviderClients } from './provider-client.ts'
import { createProviderFetch, PROVIDER_LIMITS } from './provider-fetch.ts'
import { deleteExpiredRequests } from './request-store.ts'
import { identityProviderRoutes } from './routes.ts'
import { identityEncrypter } from './secret.ts'
import type { SignInDeps } from './sign-in.ts'
import { signInRoutes } from './sign-in-routes.ts'

type Context = Omit<SignInDeps, 'fetch' | 'clients'> & {
  settings: { allowPrivateTargets?: string | undefined }
  ending: AbortSignal
}

export const identityProviderFeature = defineFeature({
  routes: [
    withEncrypter(identityEncrypter, identityProviderRoutes),
    withEncrypter(identityEncrypter, (app: App, { settings, ending, ...context }: Context) => {
      const connect = createPolicyConnect(context, settings.allowPrivateTargets)
      const fetch = createProviderFetch(createRequester(connect, ending, PROVIDER_LIMITS))
      return signInRoutes(app, { ...context, fetch, clients: createProviderClients({ fetch, clock: context.clock }) })
    }),
  ],
  jobs: (context: ProviderDomainDeps) => ({
    /** Looks up the TXT records that prove the e-mail domains of providers, where that is due. */
    checkProviderDomains: {
      name: 'domains of identity providers',
      everyMs: 60_000,
      lease: { name: 'domains of identity providers', holdMs: 240_000 },
      run: () => checkDueProviders(context),
    },
  }),
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => deleteExpiredRequests(db, new Date(clock.now())),
})
