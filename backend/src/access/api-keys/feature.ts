import { HOUR_MS } from '@vedette/shared'
import { defineFeature } from '../../platform/feature/feature.ts'
import { remindOfEndingKeys } from './ending-keys.ts'
import { apiKeyRoutes } from './routes.ts'

type Context = Parameters<typeof remindOfEndingKeys>[0]

export const apiKeyFeature = defineFeature({
  routes: [apiKeyRoutes],
  jobs: (context: Context) => ({
    /** Mails the makers of API keys that end soon. Starts at once, for a process that restarts every half an hour. */
    remindOfEndingKeys: {
      name: 'API keys that end',
      everyMs: HOUR_MS,
      firstMs: 0,
      run: () => remindOfEndingKeys(context),
    },
  }),
})
