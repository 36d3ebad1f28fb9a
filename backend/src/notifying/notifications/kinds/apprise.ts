import type { ChannelKind } from '../messages/message.ts'
import { truncate } from '../messages/texts.ts'
import { postJson, requireAccepted } from './post.ts'

const MAX_TITLE = 250
const MAX_BODY = 4_000
const TYPES = { critical: 'failure', warning: 'warning', info: 'info', resolved: 'success' } as const

/**
 * Apprise API, https://github.com/caronc/apprise-api#api-details: `url` ends in `/notify/` and the key of a stored configuration. It
 * answers 204 where that has nothing to notify.
 */
export const apprise: ChannelKind = {
  async deliver({ url = '', tag }, { content: { title, lines, tone }, link }, ways) {
    const text = [...(title.length > MAX_TITLE ? [title] : []), ...lines].join('\n')
    const more = link === undefined ? '' : `\n${link}`
    const body = {
      title: truncate(title, MAX_TITLE),
      body: `${truncate(text, MAX_BODY)}${more}`,
      type: TYPES[tone],
      format: 'text',
    }
    const answer = await postJson(ways, url, { ...body, ...(tag !== undefined && { tag }) })
    return requireAccepted(answer, ({ status }) => (status === 204 ? 'the key or the tag has nothing to notify' : undefined))
  },
}
