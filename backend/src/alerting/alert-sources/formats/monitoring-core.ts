import { alertOf, createFormat, type Fields, linesOf, requiredText, requiredWord, textOf, unixMsOf } from './fields.ts'
import type { ReceivedAlert } from './format.ts'

/** Both the words of Checkmk and those of Icinga 2, whose notifications have the types of Nagios. */
const TYPES = [
  'PROBLEM',
  'RECOVERY',
  'ACKNOWLEDGEMENT',
  'CUSTOM',
  'DOWNTIMESTART',
  'DOWNTIMEEND',
  'DOWNTIMECANCELLED',
  'DOWNTIMEREMOVED',
  'FLAPPINGSTART',
  'FLAPPINGSTOP',
  'FLAPPINGEND',
] as const
type NotificationType = (typeof TYPES)[number]

const STATES = ['UP', 'DOWN', 'UNREACHABLE', 'OK', 'WARNING', 'CRITICAL', 'UNKNOWN'] as const
const GOOD: ReadonlySet<string> = new Set(['UP', 'OK'])
/** What people read of a type that neither opens nor ends anything. */
const COMMENTS: Partial<Record<NotificationType, string>> = {
  DOWNTIMESTART: 'Downtime began',
  DOWNTIMEEND: 'Downtime ended',
  DOWNTIMECANCELLED: 'Downtime cancelled',
  DOWNTIMEREMOVED: 'Downtime removed',
  FLAPPINGSTART: 'Flapping began',
}

/**
 * Notifications of Checkmk and Icinga 2, as the scripts of `integrations/checkmk` and `integrations/icinga2` send them: `{ type, host,
 * address, service, state, output, author, comment, changed_at, url, site }`. A host has no `service`.
 */
export const monitoringCore = createFormat((body) => {
  const type = requiredWord(body, 'type', TYPES)
  const host = requiredText(body, 'host')
  const service = textOf(body['service'])
  const state = requiredWord(body, 'state', STATES)
  const status = statusOf(type, state)
  const alert = alertOf({
    key: service === '' ? host : `${host}!${service}`,
    status,
    title: service === '' ? `${host} is ${state}` : `${service} on ${host} is ${state}`,
    severity: state,
    labels: { host, address: textOf(body['address']), service, state, site: textOf(body['site']) },
    text: textOfNotification(type, status, body),
    url: textOf(body['url']),
    startsAtMs: status === 'firing' ? unixMsOf(body['changed_at']) : null,
    by: textOf(body['author']),
  })
  return { alerts: [alert] }
})

/** While something flaps the core sends neither problems nor recoveries: the state at the end of it decides. */
function statusOf(type: NotificationType, state: string): ReceivedAlert['status'] {
  switch (type) {
    case 'PROBLEM':
    case 'FLAPPINGSTOP':
    case 'FLAPPINGEND':
      return GOOD.has(state) ? 'resolved' : 'firing'
    case 'RECOVERY':
      return 'resolved'
    case 'ACKNOWLEDGEMENT':
      return 'acknowledged'
    case 'FLAPPINGSTART':
      return GOOD.has(state) ? 'commented' : 'firing'
    case 'CUSTOM':
    case 'DOWNTIMESTART':
    case 'DOWNTIMEEND':
    case 'DOWNTIMECANCELLED':
    case 'DOWNTIMEREMOVED':
      return 'commented'
  }
}

function textOfNotification(type: NotificationType, status: ReceivedAlert['status'], body: Fields): string | null {
  const comment = textOf(body['comment'])
  if (status === 'firing' || status === 'resolved') return linesOf(body['output'], comment)
  return linesOf(COMMENTS[type], comment) ?? linesOf(body['output'])
}
