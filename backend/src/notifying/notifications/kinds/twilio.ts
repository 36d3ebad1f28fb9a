import type { ChannelConfig } from '@vedette/shared'
import type { OutboundResponse } from '../messages/delivery.ts'
import type { Transports } from '../messages/message.ts'
import { requireAccepted } from './post.ts'

/** https://www.twilio.com/docs/global-infrastructure/using-the-twilio-rest-api-in-a-non-us-region */
const HOSTS: Readonly<Record<string, string>> = { us: 'api.twilio.com', eu: 'api.dublin.ie1.twilio.com' }

/** Creates a message or a call. Throws DeliveryError. */
export async function createResource(
  { account_sid: account = '', auth_token: token = '', sender: From = '', recipient: To = '', region = 'us' }: ChannelConfig,
  resource: 'Messages' | 'Calls',
  content: Readonly<Record<string, string>>,
  { send }: Pick<Transports, 'send'>,
): Promise<OutboundResponse> {
  const response = await send({
    url: `https://${HOSTS[region]}/2010-04-01/Accounts/${encodeURIComponent(account)}/${resource}.json`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    secretHeaders: { authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}` },
    body: new URLSearchParams({ To, From, ...content }).toString(),
  })
  return requireAccepted(response)
}
