import { DeliveryError } from '../messages/delivery.ts'
import type { ChannelKind, ChannelSettings, Transports } from '../messages/message.ts'
import { actionTextOf, linkTextOf, truncate } from '../messages/texts.ts'
import { postJson } from './post.ts'

/** https://pushover.net/api#limits */
const MAX_TITLE = 250
const MAX_MESSAGE = 1_024
const MAX_URL = 512
const PRIORITIES = { critical: 1, warning: 0, info: -1, resolved: 0 } as const
/** Repeats each minute for an hour, until somebody confirms it in Pushover or the incident is acknowledged or resolved. */
const EMERGENCY = { priority: 2, retry: 60, expire: 3_600 } as const
/** By which they are cancelled: ids of incidents. */
const MAX_TAGS = 20
const ENDS: ReadonlySet<string> = new Set(['incident.acknowledged', 'incident.resolved'])

/** https://pushover.net/api#messages */
export const pushover: ChannelKind = {
  async deliver({ user_key: user, app_token: token }, { type, data, content: { title, lines, tone }, atMs, ...links }, ways) {
    const repeated = (data.incidents ?? (data.incident ? [data.incident] : []))
      .filter(({ severity }) => severity === 'critical')
      .map(({ id }) => id)
    if (ENDS.has(type)) for (const id of repeated) await cancel(id, token, ways)
    const message = truncate([...(title.length > MAX_TITLE ? [title] : []), ...lines].join('\n'), MAX_MESSAGE)
    const body = {
      token,
      user,
      title: truncate(title, MAX_TITLE),
      message,
      ...(tone === 'critical' && type === 'incident.opened'
        ? { ...EMERGENCY, tags: repeated.slice(0, MAX_TAGS).join(',') }
        : { priority: PRIORITIES[tone] }),
      timestamp: Math.floor(atMs / 1000),
    }
    // It takes one link: the page of the other leads to the incident.
    const link = links.actionLink ?? links.link
    const linkText = links.actionLink === undefined ? linkTextOf(links) : actionTextOf(links)
    const more = link === undefined || link.length > MAX_URL ? {} : { url: link, url_title: linkText }
    return postJson(ways, 'https://api.pushover.net/1/messages.json', { ...body, ...more })
  },
}

/**
 * Ends what repeats, before the message about it: one that was sent would be sent again if this failed. A refusal says that nothing
 * repeats any more, and the message goes.
 */
async function cancel(id: string, token: ChannelSettings['app_token'], ways: Transports): Promise<void> {
  try {
    await postJson(ways, `https://api.pushover.net/1/receipts/cancel_by_tag/${id}.json`, { token })
  } catch (error) {
    const status = error instanceof DeliveryError ? error.response?.status : undefined
    if (status === undefined || status === 429 || status >= 500) throw error
  }
}
