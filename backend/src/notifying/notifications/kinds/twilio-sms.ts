import type { ChannelKind } from '../messages/message.ts'
import { toPlainText, truncate } from '../messages/texts.ts'
import { createResource } from './twilio.ts'

/** Four parts of an SMS with characters beyond GSM 7-bit. Twilio takes 1,600 characters and charges each part. */
const MAX_SMS = 268

/** https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource */
export const twilioSms: ChannelKind = {
  deliver: (config, { content, link }, ways) => {
    const more = link === undefined || link.length > MAX_SMS / 2 ? '' : `\n${link}`
    const text = `${truncate(toPlainText(content), MAX_SMS - more.length)}${more}`
    return createResource(config, 'Messages', { Body: text }, ways)
  },
}
