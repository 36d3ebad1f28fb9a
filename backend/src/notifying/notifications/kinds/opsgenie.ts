import type { ChannelKind, Message } from '../messages/message.ts'
import { oneLine } from '@vedette/shared'
import { truncate } from '../messages/texts.ts'
import { postJson } from './post.ts'

const HOSTS: Readonly<Record<string, string>> = { us: 'api.opsgenie.com', eu: 'api.eu.opsgenie.com' }
/** https://docs.opsgenie.com/docs/alert-api#create-alert */
const MAX_MESSAGE = 130
const MAX_DESCRIPTION = 15_000
const MAX_ENTITY = 512
const PRIORITIES = { critical: 'P1', warning: 'P3', info: 'P5', resolved: 'P5' } as const
const ACTIONS: Readonly<Record<string, string>> = { 'incident.acknowledged': 'acknowledge', 'incident.resolved': 'close' }

/** Alert API: all steps of an incident go by its id as `alias`. What a test opens is closed at once. */
export const opsgenie: ChannelKind = {
  takesEachIncident: true,
  async deliver({ region = 'us' }, message, ways) {
    const alerts = `https://${HOSTS[region]}/v2/alerts`
    const { incident } = message.data
    const alias = incident?.id ?? message.id
    const act = (action: string) => postJson(ways, `${alerts}/${alias}/${action}?identifierType=alias`, { source: 'Vedette' })
    const action = ACTIONS[message.type]
    if (action !== undefined) return act(action)
    const answer = await postJson(ways, alerts, alertOf(message, alias))
    return incident ? answer : act('close')
  },
}

function alertOf({ content: { title, lines, tone }, link, data: { incident } }: Message, alias: string): object {
  return {
    message: truncate(title, MAX_MESSAGE),
    alias,
    description: truncate([title, ...lines, ...(link === undefined ? [] : [link])].join('\n'), MAX_DESCRIPTION),
    priority: PRIORITIES[tone],
    source: 'Vedette',
    ...(incident && {
      entity: truncate(oneLine(incident.target.name), MAX_ENTITY),
      details: { incident: incident.id, target: incident.target.id },
    }),
  }
}
