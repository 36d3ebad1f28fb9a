import { invalid } from '../../../platform/errors.ts'
import { alertOf, createFormat, type Fields, fieldsOf, firstText, instantMsOf, isFields, listOf, textOf } from './fields.ts'
import type { ReceivedAlert } from './format.ts'

/** Of a heartbeat; 2 (pending) is never sent. */
const STATUS: Readonly<Record<string, ReceivedAlert['status']>> = { 0: 'firing', 1: 'resolved', 3: 'commented' }
const WORDS: Readonly<Record<string, string>> = { 0: 'is down', 1: 'is up', 3: 'is under maintenance' }
const CERTIFICATE = /^(.{1,1000}? certificate .{0,1000}?)\bwill (?:be expired|expire) in \d+ days/
const TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)$/

/** The webhook of Uptime Kuma with the preset `application/json`: `{ heartbeat, monitor, msg }`. */
export const uptimeKuma = createFormat((body) => {
  const { heartbeat, monitor } = body
  if (!isFields(heartbeat)) return readMessage(textOf(body['msg']))
  const code = textOf(heartbeat['status'])
  const status = STATUS[code]
  if (status === undefined) throw invalid({ path: 'heartbeat.status', message: 'must be 0 (down), 1 (up) or 3 (maintenance)' })
  const id = firstText(heartbeat['monitorID'], fieldsOf(monitor)['id'])
  if (id === null) throw invalid({ path: 'heartbeat.monitorID', message: 'must be the id of a monitor' })
  const name = firstText(fieldsOf(monitor)['pathName'], fieldsOf(monitor)['name']) ?? `Monitor ${id}`
  const alert = alertOf({
    key: `monitor:${id}`,
    status,
    title: `${name} ${WORDS[code] ?? ''}`,
    labels: labelsOfMonitor(fieldsOf(monitor)),
    text: firstText(heartbeat['msg'], body['msg']),
    // Without a zone: UTC.
    startsAtMs: instantMsOf(textOf(heartbeat['time']).slice(0, 40).replace(TIME, '$1T$2Z')),
  })
  return { alerts: [alert] }
})

function labelsOfMonitor(monitor: Fields): Record<string, string> {
  const tags = listOf(monitor['tags'])
    .slice(0, 60)
    .map((tag): [string, string] => [textOf(fieldsOf(tag)['name']), textOf(fieldsOf(tag)['value']) || 'true'])
  return Object.fromEntries([
    ...tags,
    ['monitor', textOf(monitor['name'])],
    ['type', textOf(monitor['type'])],
    ['host', textOf(monitor['hostname'])],
    ['target', withoutSecrets(textOf(monitor['url']))],
  ])
}

/** A checked address may have a password, or a key in its query. */
function withoutSecrets(url: string): string {
  const parsed = url.length <= 2_048 ? URL.parse(url) : null
  return parsed ? `${parsed.protocol}//${parsed.host}${parsed.pathname}` : ''
}

/** Two messages have no heartbeat: the test, which is no alert, and that of a certificate that ends soon, whose end nobody sends. */
function readMessage(message: string): { alerts: ReceivedAlert[]; faults: string[] } {
  if (firstText(message) === null) throw invalid({ path: 'heartbeat', message: 'must be an object' })
  const certificate = CERTIFICATE.exec(message.slice(0, 4_096))?.[1]
  if (certificate === undefined) return { alerts: [], faults: ['a message without a heartbeat, as the test sends it: no alert'] }
  const alert = alertOf({ key: `certificate:${certificate.trim()}`, status: 'firing', title: message, severity: 'warning' })
  return { alerts: [alert], faults: [] }
}
