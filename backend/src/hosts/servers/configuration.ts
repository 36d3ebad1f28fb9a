import { NO_TARGET_DESCRIPTION, PatchServerBody } from '@vedette/shared'
import { type Configuration, pickFields } from '../../access/auth/index.ts'
import { showDependencies } from '../../monitoring/dependencies/index.ts'
import type { ServerDeps } from './deps.ts'
import { readServers } from './store.ts'

/** What people say of a server that registered. */
export const serverConfiguration: Configuration<ServerDeps> = {
  kind: 'server_settings',
  table: 'server',
  async read({ db }, tenant, ids) {
    const rows = await readServers(db, tenant.number, ids)
    const show = await showDependencies(
      db,
      tenant.number,
      rows.map(({ depends_on: list }) => list),
    )
    return rows.map(({ id, hostname, machine_id: machineId, managed, ...row }) => ({
      id,
      name: hostname,
      aliases: [machineId, hostname],
      managed,
      spec: pickFields(PatchServerBody, { ...row, depends_on: show(row.depends_on) }),
    }))
  },
  complete: (spec) => ({ display_name: null, tags: [], depends_on: [], sources_off: [], ...NO_TARGET_DESCRIPTION, ...spec }),
}
