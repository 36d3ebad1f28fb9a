import { invalid } from '../../../platform/errors.ts'
import { MINUTE_MS } from '@vedette/shared'
import { readAlerts } from './alertmanager.ts'
import type { AlertFormat } from './format.ts'

/** As long as Alertmanager waits where the sender names no end (`resolve_timeout`). */
const END_MS = 5 * MINUTE_MS

/** What Prometheus and its like post to `/api/v2/alerts`: a list of alerts. Those that are over have ended by now. */
export const alertmanagerApi: AlertFormat = {
  read({ body, nowMs }) {
    if (!Array.isArray(body)) throw invalid({ path: '', message: 'must be a list of alerts' })
    const { alerts, faults } = readAlerts(body)
    return { alerts: alerts.map((alert) => ({ ...alert, endsAtMs: alert.endsAtMs ?? nowMs + END_MS })), faults }
  },
}
