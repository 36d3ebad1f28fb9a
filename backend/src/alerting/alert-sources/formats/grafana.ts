import { invalid } from '../../../platform/errors.ts'
import { alertOf, createFormat, type Fields, fieldsOf, firstText, instantMsOf, keyOfParts, linesOf, textOf } from './fields.ts'
import type { ReceivedAlert } from './format.ts'

/** Of one request: twice what fits into one with labels and texts. */
const MAX_ALERTS = 10_000
/** Of one alert: all of them are its key. */
const MAX_LABELS = 1_000

/** The webhook of Grafana's alerting, from version 9 on: `alerts` in the form of Alertmanager, with links and values. */
export const grafana = createFormat((body) => {
  const sent = body['alerts']
  if (!Array.isArray(sent) || sent.length > MAX_ALERTS)
    throw invalid({ path: 'alerts', message: `must be a list of at most ${MAX_ALERTS.toLocaleString('en')} alerts` })
  const alerts: ReceivedAlert[] = []
  const faults: string[] = []
  for (const [index, alert] of sent.entries()) {
    const { status, labels } = fieldsOf(alert)
    if (status !== 'firing' && status !== 'resolved') faults.push(`alerts.${index}: status must be firing or resolved`)
    else if (Object.keys(fieldsOf(labels)).length > MAX_LABELS) faults.push(`alerts.${index}: labels must be at most 1,000`)
    else alerts.push(readAlert(fieldsOf(alert), status))
  }
  return { alerts, faults }
})

function readAlert(alert: Fields, status: 'firing' | 'resolved'): ReceivedAlert {
  const labels = Object.fromEntries(Object.entries(fieldsOf(alert['labels'])).map(([name, value]) => [name, textOf(value)]))
  const annotations = fieldsOf(alert['annotations'])
  return alertOf({
    // Computed of the labels, as Grafana does: a fingerprint that is sent could name another alert.
    key: keyOfParts(
      ...Object.entries(labels)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .flat(),
    ),
    status,
    title: firstText(annotations['summary'], labels['alertname']) ?? 'Alert of Grafana',
    severity: firstText(labels['severity']),
    labels,
    text: linesOf(firstText(annotations['description'], annotations['message']), alert['valueString']),
    url: firstText(alert['panelURL'], alert['dashboardURL'], alert['generatorURL']),
    startsAtMs: instantMsOf(alert['startsAt']),
    endsAtMs: instantMsOf(alert['endsAt']),
  })
}
