import type { ChannelKind } from '../messages/message.ts'
import { truncate } from '../messages/texts.ts'
import { postJson } from './post.ts'

const MAX_TITLE = 500
const MAX_MESSAGE = 4_000

/**
 * Formatted webhook, https://grafana.com/docs/oncall/latest/configure/integrations/references/webhook/: an incident goes by its id as
 * `alert_uid`. What a test opens ends at once. It has no acknowledgement from outside: that step is not sent.
 */
export const grafanaOncall: ChannelKind = {
  takesEachIncident: true,
  async deliver({ url = '' }, { id, type, content: { title, lines, tone }, link, data: { incident } }, ways) {
    if (type === 'incident.acknowledged') return undefined
    const about = {
      alert_uid: incident?.id ?? id,
      title: truncate(title, MAX_TITLE),
      message: truncate(lines.join('\n'), MAX_MESSAGE),
      ...(link !== undefined && { link_to_upstream_details: link }),
    }
    const answer = await postJson(ways, url, { ...about, state: tone === 'resolved' ? 'ok' : 'alerting' })
    return incident ? answer : postJson(ways, url, { ...about, state: 'ok' })
  },
}
