import type { ChannelKind } from '../messages/message.ts'
import { LINK_TEXT, truncate } from '../messages/texts.ts'
import { postJson } from './post.ts'

/** https://pushover.net/api#limits */
const MAX_TITLE = 250
const MAX_MESSAGE = 1_024
const MAX_URL = 512
/** 2 would require a confirmation in Pushover; incidents are acknowledged in Vedette. */
const PRIORITIES = { critical: 1, warning: 0, info: -1, resolved: 0 } as const

/** https://pushover.net/api#messages */
export const pushover: ChannelKind = {
  deliver: ({ user_key: user, app_token: token }, { content: { title, lines, tone }, atMs, ...links }, ways) => {
    const message = truncate([...(title.length > MAX_TITLE ? [title] : []), ...lines].join('\n'), MAX_MESSAGE)
    const body = {
      token,
      user,
      title: truncate(title, MAX_TITLE),
      message,
      priority: PRIORITIES[tone],
      timestamp: Math.floor(atMs / 1000),
    }
    // It takes one link: the page of the other leads to the incident.
    const link = links.actionLink ?? links.link
    const linkText = links.actionLink === undefined ? (links.linkText ?? LINK_TEXT) : 'Acknowledge, snooze or resolve'
    const more = link === undefined || link.length > MAX_URL ? {} : { url: link, url_title: linkText }
    return postJson(ways, 'https://api.pushover.net/1/messages.json', { ...body, ...more })
  },
}
