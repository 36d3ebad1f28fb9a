import { DeliveryError } from '../messages/delivery.ts'
import type { ChannelKind } from '../messages/message.ts'
import { renderTemplate } from '../messages/templates.ts'
import { requireAccepted } from './post.ts'

export const JSON_TYPE = 'application/json'

/** Any service: its own address, method, header and body. */
export const http: ChannelKind = {
  async deliver({ url = '', method = 'POST', content_type: type = JSON_TYPE, body_template: template = '' }, message, { send }) {
    const { text, fault } = await renderTemplate('body_template', template, message)
    if (fault !== undefined) throw new DeliveryError('not_set_up', `the template of the body failed: ${fault}`)
    return requireAccepted(await send({ url, method: method as 'POST' | 'PUT', headers: { 'content-type': type }, body: text }))
  },
}
