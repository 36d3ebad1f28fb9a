import type { ChannelKind } from '../messages/message.ts'
import { truncate } from '../messages/texts.ts'
import { postJson, requireAccepted } from './post.ts'

const MAX_NAME = 500
const MAX_MESSAGE = 10_000
const TYPES = { critical: 'CRITICAL', warning: 'WARNING', info: 'INFO', resolved: 'RECOVERY' } as const

/**
 * REST endpoint, https://help.splunk.com/en/splunk-enterprise/alert-and-respond/splunk-on-call/integrations-with-splunk-on-call/rest-endpoint-integration-for-splunk-on-call: all steps of an
 * incident go by its id as `entity_id`. What a test opens ends at once. A refusal is a 200 with `"result":"failure"`.
 */
export const splunkOncall: ChannelKind = {
  takesEachIncident: true,
  async deliver({ url = '' }, { id, type, atMs, content: { title, lines, tone }, link, data: { incident } }, ways) {
    const about = { entity_id: incident?.id ?? id, monitoring_tool: 'Vedette', state_start_time: Math.floor(atMs / 1000) }
    const post = async (message_type: string) => {
      const state_message = truncate([title, ...lines].join('\n'), MAX_MESSAGE)
      const body = { message_type, ...about, entity_display_name: truncate(title, MAX_NAME), state_message }
      const answer = await postJson(ways, url, { ...body, ...(link !== undefined && { vedette_url: link }) })
      return requireAccepted(answer, ({ text }) => (/"result"\s*:\s*"failure"/.test(text) ? text : undefined))
    }
    const answer = await post(type === 'incident.acknowledged' ? 'ACKNOWLEDGEMENT' : TYPES[tone])
    return incident ? answer : post('RECOVERY')
  },
}
