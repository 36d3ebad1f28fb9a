import { escapeHtml } from '../../../platform/escape-html.ts'
import type { ChannelKind } from '../messages/message.ts'
import { truncate } from '../messages/texts.ts'
import { createResource } from './twilio.ts'

/** What is listened to in half a minute; `twiml` may have 4,000 characters. */
const MAX_SPOKEN = 300

/** A call that reads the title twice, https://www.twilio.com/docs/voice/api/call-resource#create-a-call-resource */
export const twilioVoice: ChannelKind = {
  deliver: (config, { content: { title } }, ways) => {
    const spoken = escapeHtml(truncate(title, MAX_SPOKEN))
    const twiml = `<Response><Say>${spoken}</Say><Pause length="1"/><Say>${spoken}</Say></Response>`
    return createResource(config, 'Calls', { Twiml: twiml }, ways)
  },
}
