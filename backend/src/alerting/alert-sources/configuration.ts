import { CreateAlertSourceBody } from '@vedette/shared'
import { type Configuration, pickFields, toConfigured } from '../../access/auth/index.ts'
import { DEFAULTS, type SourceDeps } from './service.ts'
import { readSources } from './store.ts'
import { toAlertSource } from './wire.ts'

/** Without its token, which no file has: a source that a file creates gets one by a rotation. */
export const sourceConfiguration: Configuration<SourceDeps> = {
  kind: 'alert_source',
  table: 'alert_source',
  async read({ db, publicUrl }, tenant, ids) {
    const rows = await readSources(db, tenant.number, ids)
    return rows.map((row) => toConfigured(row, pickFields(CreateAlertSourceBody, toAlertSource(row, { publicUrl }))))
  },
  complete: (spec) => ({ ...DEFAULTS, ...spec }),
}
