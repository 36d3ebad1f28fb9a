import { MINUTE_MS } from '@vedette/shared'
import type { InstallationSecrets } from '../../platform/crypto/installation-secrets.ts'
import { type Changes, createRereading } from '../../platform/db/index.ts'
import { defineFeature, withEncrypter } from '../../platform/feature/feature.ts'
import { hasEnabledExports } from './cursor-store.ts'
import { exportRoutes } from './routes.ts'
import { createManaging } from './managed.ts'
import { exportEncrypter, type Headers } from './secret.ts'
import { createExportSender } from './sender.ts'
import type { SenderDeps } from './sending.ts'

/** Whether there is an export is read this often all the same: an announcement may be lost. */
const READ_EVERY_MS = 2 * MINUTE_MS

type Working = Omit<SenderDeps, 'encrypter' | 'managedHeaders'> & {
  secrets: InstallationSecrets
  changes: Pick<Changes, 'on' | 'isHeard'>
  settings: { otlpUrl?: string | undefined; otlpHeaders?: Headers | undefined }
}

export const exportFeature = defineFeature({
  routes: [withEncrypter(exportEncrypter, exportRoutes)],
  jobs: ({ secrets, changes, settings: { otlpUrl: url, otlpHeaders = {} }, ...context }: Working) => {
    const { db, clock } = context
    const encrypter = exportEncrypter(secrets)
    const manage = createManaging({ db, clock, encrypter, url })
    const send = createExportSender({ ...context, encrypter, managedHeaders: otlpHeaders })
    const reading = createRereading({ clock, changes }, 'metric_export', 0, READ_EVERY_MS)
    let hasSome = true
    return {
      /** Sends samples to where exports say. */
      sendExports: {
        name: 'exports of samples',
        everyMs: 5_000,
        rests: { ms: READ_EVERY_MS, wokenBy: 'metric_export' },
        lease: { name: 'exports of samples', holdMs: 20_000 },
        when: async () => {
          if (reading.dueMs() <= clock.now()) hasSome = await reading.read(() => hasEnabledExports(db))
          return hasSome || url !== undefined
        },
        run: async () => {
          await manage()
          await send()
        },
      },
    }
  },
})
