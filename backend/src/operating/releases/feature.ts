import { defineFeature } from '../../platform/feature/feature.ts'
import type { App } from '../../platform/http/index.ts'
import { type ReleaseRouteDeps, releaseRoutes } from './routes.ts'

type Context = Pick<ReleaseRouteDeps, 'releases' | 'log'> & {
  publicUrl(): string
  settings: { releases: { folder: string; url: string | undefined } | undefined }
}

export const releaseFeature = defineFeature({
  routes: [
    (app: App, { settings, publicUrl, ...context }: Context) =>
      releaseRoutes(app, {
        ...context,
        folder: settings.releases?.folder,
        addresses: () => ({ url: publicUrl(), releasesUrl: settings.releases?.url ?? `${publicUrl()}/releases` }),
      }),
  ],
})
