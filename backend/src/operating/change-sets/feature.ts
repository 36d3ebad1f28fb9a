import type { CreatingRouteDeps } from '../../access/auth/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { defineFeature, type Routes } from '../../platform/feature/feature.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { changeSetEncrypter } from './content.ts'
import { createKinds, type KindContext } from './kinds.ts'
import { configurationRoutes } from './configuration-routes.ts'
import { applyRoutes, changeSetRoutes } from './routes.ts'
import { deleteOldChangeSets } from './service.ts'

const routes: Routes<KindContext & CreatingRouteDeps> = (app, context) => {
  const deps = { ...context, kinds: createKinds(context), encrypter: changeSetEncrypter(context.secrets) }
  for (const register of [changeSetRoutes, applyRoutes, configurationRoutes]) register(app, deps)
}

export const changeSetFeature = defineFeature({
  routes: [routes],
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => deleteOldChangeSets(db, clock.now()),
})
