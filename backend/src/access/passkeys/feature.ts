import type { InstallationSecrets } from '../../platform/crypto/installation-secrets.ts'
import type { Db } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { App } from '../../platform/http/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { challengeEncrypter } from './challenge.ts'
import { type PasskeyRouteDeps, passkeyRoutes } from './routes.ts'
import { deleteUsedChallenges } from './store.ts'

type Context = Omit<PasskeyRouteDeps, 'challengeEncrypter'> & { secrets: InstallationSecrets }

export const passkeyFeature = defineFeature({
  routes: [
    (app: App, context: Context) => passkeyRoutes(app, { ...context, challengeEncrypter: challengeEncrypter(context.secrets) }),
  ],
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => deleteUsedChallenges(db, clock.now()),
})
