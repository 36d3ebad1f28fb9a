import { invalid } from '../../../platform/errors.ts'
import {
  alertOf,
  createFormat,
  type Fields,
  isFields,
  linesOf,
  listOf,
  parseJson,
  requiredWord,
  textOf,
  unixMsOf,
} from './fields.ts'
import type { ReceivedAlert } from './format.ts'

/** Events that have an end: of triggers, internal ones, of services. Discovery and autoregistration have none. */
const SOURCES: ReadonlySet<string> = new Set(['0', '3', '4'])
/** A macro that Zabbix does not know stays as it is; one without a value is `*UNKNOWN*`. */
const UNRESOLVED = /^(?:\{[A-Z0-9._$#"{}:]+\}|\*[A-Z ]+\*)$/

/** What `integrations/zabbix/media-type-vedette.yaml` sends: the macros of an event, all of them texts. */
export const zabbix = createFormat((sent) => {
  const body = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, resolved(value)]))
  const id = textOf(body['event_id'])
  if (!/^\d{1,20}$/.test(id)) throw invalid({ path: 'event_id', message: 'must be the id of an event, digits alone' })
  const source = textOf(body['event_source']) || '0'
  if (!SOURCES.has(source)) return { alerts: [], faults: ['an event of discovery or autoregistration: no alert'] }
  const status = statusOf(body)
  const alert = alertOf({
    key: id,
    status,
    title: textOf(body['event_name']) || `Problem ${id}`,
    severity: textOf(body['event_severity']) || null,
    labels: { ...tagsOf(textOf(body['event_tags'])), host: textOf(body['host']), host_ip: textOf(body['host_ip']) },
    text:
      status === 'acknowledged' || status === 'commented'
        ? linesOf(textOf(body['update_message']) || body['update_action'])
        : linesOf(body['operational_data'], body['message']),
    url: urlOf(body, id),
    startsAtMs: unixMsOf(body['event_timestamp']),
    by: status === 'acknowledged' || status === 'commented' ? textOf(body['user']) : null,
  })
  return { alerts: [alert] }
})

function resolved(value: unknown): string {
  const text = textOf(value)
  return text.length <= 200 && UNRESOLVED.test(text) ? '' : text
}

function statusOf(body: Fields): ReceivedAlert['status'] {
  const value = requiredWord(body, 'event_value', ['0', '1'])
  if (textOf(body['update_status']) !== '1') return value === '1' ? 'firing' : 'resolved'
  const actions = textOf(body['update_action']).slice(0, 1_000).split(',')
  return value === '1' && actions.some((action) => action.trim() === 'acknowledged') ? 'acknowledged' : 'commented'
}

/** `{EVENT.TAGSJSON}`: `[{"tag":"scope","value":"availability"}]`. Tags are no reason to refuse an alert. */
function tagsOf(json: string): Record<string, string> {
  const pairs = listOf(parseJson(json))
    .filter((tag) => isFields(tag))
    .map((tag): [string, string] => [textOf(tag['tag']), textOf(tag['value']) || 'true'])
  return Object.fromEntries(pairs)
}

/** The page of the event, as Zabbix builds it; null without the address of the frontend. */
function urlOf(body: Fields, id: string): string | null {
  const frontend = textOf(body['zabbix_url'])
  const trigger = textOf(body['trigger_id'])
  if (frontend === '' || frontend.length > 1_000 || !/^\d{1,20}$/.test(trigger)) return null
  return `${frontend}${frontend.endsWith('/') ? '' : '/'}tr_events.php?triggerid=${trigger}&eventid=${id}`
}
