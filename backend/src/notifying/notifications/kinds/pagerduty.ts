import { oneLine, toTimestamp } from '@vedette/shared'
import type { ChannelKind, Message } from '../messages/message.ts'
import { runbookOf, runbookTextOf, truncate } from '../messages/texts.ts'
import { postJson } from './post.ts'

const HOSTS: Readonly<Record<string, string>> = { us: 'events.pagerduty.com', eu: 'events.eu.pagerduty.com' }
const MAX_SUMMARY = 1_024
const ACTIONS: Readonly<Record<string, string>> = {
  'incident.acknowledged': 'acknowledge',
  'incident.resolved': 'resolve',
}

/**
 * Events API v2, https://developer.pagerduty.com/docs/send-alert-event: all steps of an incident go by its id as `dedup_key`. What
 * a test opens is resolved at once.
 */
export const pagerduty: ChannelKind = {
  linksRunbook: true,
  takesEachIncident: true,
  async deliver({ routing_key: key, region = 'us' }, message, ways) {
    const url = `https://${HOSTS[region]}/v2/enqueue`
    const { incident } = message.data
    const about = { routing_key: key, dedup_key: incident?.id ?? message.id }
    const action = ACTIONS[message.type] ?? 'trigger'
    // The other actions name an existing alert; PagerDuty ignores their payload.
    const more = action === 'trigger' ? alertOf(message) : {}
    const answer = await postJson(ways, url, { ...about, event_action: action, ...more })
    return incident ? answer : postJson(ways, url, { ...about, event_action: 'resolve' })
  },
}

function alertOf(message: Message): object {
  const { content, link, atMs, data } = message
  const { title, tone } = content
  const { incident } = data
  const runbook = runbookOf(message)
  const links = [
    ...(link === undefined ? [] : [{ href: link, text: 'Vedette' }]),
    ...(runbook === undefined ? [] : [{ href: runbook, text: runbookTextOf(message) }]),
  ]
  const payload = {
    summary: truncate(title, MAX_SUMMARY),
    source: incident ? truncate(oneLine(incident.target.name), MAX_SUMMARY) || 'Vedette' : 'Vedette',
    severity: tone === 'resolved' ? 'info' : tone,
    timestamp: toTimestamp(atMs),
    ...(incident && { class: incident.target.type, custom_details: { incident: incident.id, target: incident.target.id } }),
  }
  return {
    payload,
    client: 'Vedette',
    ...(link !== undefined && { client_url: link }),
    ...(links.length > 0 && { links }),
  }
}
