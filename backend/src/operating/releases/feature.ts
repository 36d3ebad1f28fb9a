import { defineFeature } from '../../platform/feature/feature.ts'
import type { App } from '../../platform/http/index.ts'
import { type ReleaseRouteDeps, releaseRoutes } from './routes.ts'

type Context = Pick<ReleaseRouteDeps, 'releases' | 'agents' | 'publicUrl' | 'log'> & {
  settings: { publicUrl?: string | undefined; releases: { folder: string; url: string | undefined } | undefined }
}

export const releaseFeature = defineFeature({
  routes: [
    (app: App, { settings, ...context }: Context) =>
      releaseRoutes(app, {
        ...context,
        configuredUrl: settings.publicUrl,
        folder: settings.releases?.folder,
        releasesUrl: settings.releases?.url,
      }),
  ],
})
