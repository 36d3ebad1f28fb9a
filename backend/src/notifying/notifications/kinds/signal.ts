import type { ChannelKind } from '../messages/message.ts'
import { toPlainText, truncate } from '../messages/texts.ts'
import { postJson } from './post.ts'

/** Signal shows a longer text as an attachment. */
const MAX_MESSAGE = 2_000

/** Send a message, https://bbernhard.github.io/signal-cli-rest-api/#/Messages/post_v2_send: of a signal-cli REST API. */
export const signal: ChannelKind = {
  deliver: ({ url = '', sender: number, recipient }, { content, link }, ways) => {
    const more = link === undefined ? '' : `\n${link}`
    const message = `${truncate(toPlainText(content), MAX_MESSAGE - more.length)}${more}`
    return postJson(ways, `${url.replace(/\/+$/, '')}/v2/send`, { message, number, recipients: [recipient] })
  },
}
