import { BURN_ALERT_NAMES, CreateSloBody } from '@vedette/shared'
import { type Configuration, pickFields, toConfigured } from '../../access/auth/index.ts'
import { listSloRules } from '../../alerting/alerts/index.ts'
import type { SloDeps } from './service.ts'
import { readSlos } from './store.ts'
import { toSlo } from './wire.ts'

export const sloConfiguration: Configuration<SloDeps> = {
  kind: 'slo',
  table: 'slo',
  async read({ db }, tenant, ids) {
    const rows = await readSlos(db, tenant.number, ids)
    const rules = await listSloRules(
      db,
      tenant.number,
      rows.map(({ id }) => id),
    )
    const own = Map.groupBy(rules, ({ sloId }) => sloId)
    return rows.map((row) => toConfigured(row, pickFields(CreateSloBody, toSlo(row, own.get(row.id) ?? []))))
  },
  complete: ({ target, ...spec }) => ({
    kind: 'availability',
    threshold_ms: null,
    window: '30d',
    time_zone: 'UTC',
    channel_ids: [],
    escalation_policy_id: null,
    burn_alerts: [...BURN_ALERT_NAMES],
    ...spec,
    ...(target !== undefined && { target: { id: null, tag: null, ...target } }),
  }),
}
