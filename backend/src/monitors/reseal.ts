import { openRequest, sealRequest } from '../checks/index.ts'
import type { InstallationSecrets } from '../platform/secrets.ts'
import { createSealer, type Sealer } from '../platform/sealer.ts'
import type { MonitorDeps } from './deps.ts'
import { listSealed, replaceSealed } from './store.ts'

const AT_ONCE = 500

export const monitorSealer = (secrets: InstallationSecrets): Sealer => createSealer(secrets.derive('monitor request'))

/**
 * Seals with the newest secret what older ones sealed, so that these can be left out some day. What is changed meanwhile is sealed
 * by that change; any number of instances may do it at once.
 */
export async function resealRequests({ db, sealer }: Pick<MonitorDeps, 'db' | 'sealer'>, atOnce = AT_ONCE): Promise<void> {
  for (let rows = await listSealed(db, undefined, atOnce); rows.length > 0; ) {
    const old = rows.filter(({ id, request_sealed: sealed }) => !sealer.isNewest(sealed, id))
    const anew = old.map((row) => ({
      ...row,
      anew: sealRequest(sealer, row.id, openRequest(sealer, row.id, row.request_sealed)),
    }))
    if (anew.length > 0) await replaceSealed(db, anew)
    rows = await listSealed(db, rows.at(-1), atOnce)
  }
}
