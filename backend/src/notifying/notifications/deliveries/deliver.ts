import type { ChannelConfig, ChannelType, IncidentItem } from '@vedette/shared'
import { encodeId } from '../../../platform/ids.ts'
import type { Mail } from '../../../platform/mail.ts'
import type { Encrypter } from '../../../platform/crypto/encrypter.ts'
import { maskSecrets } from '../../../platform/logging/mask-secrets.ts'
import { configHeaders, secretsOf } from '../channels/config.ts'
import { decryptConfig, type RetiredSecret } from '../channels/encrypted-config.ts'
import type { RecipientRow } from '../channels/store.ts'
import { DeliveryError, type OutboundResponse, type OutboundRequest } from '../messages/delivery.ts'
import type { ChannelKind, ChannelSettings, Message, Transports } from '../messages/message.ts'
import type { Delivery, NotificationContent } from './store.ts'
import { withTemplates } from '../messages/templates.ts'
import { eventText, groupText, incidentText, inLanguage, withRunbookLine } from '../messages/texts.ts'

export interface DeliveryDeps {
  /** Of the secrets of channels. */
  encrypter: Encrypter
  kinds: Readonly<Partial<Record<string, ChannelKind>>>
  send(request: OutboundRequest): Promise<OutboundResponse>
  sendsMail: boolean
  nowMs(): number
}

export interface DeliveryOutcome {
  response: OutboundResponse | undefined
  /** To be stored in the outbox. */
  mails: Mail[]
  /** Why a template of the channel was not used: the standard text was sent. */
  templateFault: string | undefined
}

type Recipient = Pick<RecipientRow, 'id' | 'type' | 'config' | 'secrets_encrypted' | 'user_id'>

/** Sends a message to a channel. Throws DeliveryError. */
export async function deliver(deps: DeliveryDeps, channel: Recipient, message: Message): Promise<DeliveryOutcome> {
  if (typeof channel.user_id !== 'string') return deliverTo(deps, channel, message)
  // Every member may have contact methods, also those who may not choose where the organization's messages go: where the operator
  // lets channels reach private addresses, what answers there is not for them.
  const send = (request: OutboundRequest) => deps.send({ ...request, staysAtOrigin: true })
  try {
    const outcome = await deliverTo({ ...deps, send }, channel, message)
    return { ...outcome, response: outcome.response && withoutText(outcome.response) }
  } catch (error) {
    if (!(error instanceof DeliveryError) || !error.response) throw error
    throw new DeliveryError(error.code, `the service answered ${error.response.status}`, withoutText(error.response))
  }
}

const withoutText = (response: OutboundResponse): OutboundResponse => ({ ...response, text: '' })

async function deliverTo(
  { encrypter, kinds, send, sendsMail, nowMs }: DeliveryDeps,
  channel: Recipient,
  message: Message,
): Promise<DeliveryOutcome> {
  const kind = kinds[channel.type]
  if (!kind) throw new DeliveryError('not_set_up', `this version does not support ${channel.type} channels`)
  const mails: Mail[] = []
  const mail = (queued: Mail) => {
    if (!sendsMail) throw new DeliveryError('not_set_up', 'no mail server is configured (VEDETTE_SMTP_URL)')
    mails.push(queued)
  }
  const { config, retired } = decryptConfig(encrypter, channel)
  const sendOfChannel = withConfigOf(channel.type, config, send, retired?.secret)
  const { message: templated, fault } = await withTemplates(kind.linksRunbook ? message : withRunbookLine(message), config)
  const response = await kind.deliver(signing(config, retired, nowMs()), templated, { send: sendOfChannel, mail, nowMs })
  return { response, mails, templateFault: fault }
}

/**
 * Adds the headers that carry fields of the config. Its secrets reach no other origin, and no response shows them, so that neither
 * an error nor what is stored and logged of it has one.
 */
export function withConfigOf(
  type: ChannelType,
  config: ChannelConfig,
  send: Transports['send'],
  retired?: string,
): Transports['send'] {
  const { headers, secretHeaders } = configHeaders(type, config)
  const secrets = secretsOf(type, config, retired)
  return async (request) => {
    const own = { headers: { ...request.headers, ...headers }, secretHeaders: { ...request.secretHeaders, ...secretHeaders } }
    const response = await send({ ...request, ...own, secrets })
    return { ...response, text: maskSecrets(response.text, secrets) }
  }
}

function signing(config: ChannelConfig, retired: RetiredSecret | undefined, nowMs: number): ChannelSettings {
  if (config.secret === undefined) return config
  return { ...config, secrets: [config.secret, ...(retired && retired.untilMs > nowMs ? [retired.secret] : [])] }
}

/** The first of the other incidents that a message is about, and how many there are. */
export interface GroupContent {
  total: number
  incidents: readonly IncidentItem[]
}

const ALONE: GroupContent = { total: 0, incidents: [] }

/**
 * The message of a delivery, with the `others` that are sent with it. `publicUrl`: the page that people open, if it is known. Pure.
 */
export function toMessage(
  delivery: Delivery,
  content: NotificationContent,
  publicUrl: string | undefined,
  others: GroupContent = ALONE,
): Message {
  const { type, evidence, timeline, language = 'en' } = content
  const data: Message['data'] = content.data
  const base = { id: encodeId('notification', delivery.id), type, atMs: delivery.created_at.getTime(), language }
  const { incident, reminder, story } = data
  if (!incident) return { ...base, data, content: inLanguage(eventText(type, data), language), link: publicUrl }
  const whole = { ...incident, evidence: evidence ?? {}, timeline: timeline ?? [] }
  if (others.total > 0) {
    const incidents = [incident, ...others.incidents]
    const total = 1 + others.total
    return {
      ...base,
      data: { ...data, incident: whole, incidents, total },
      content: inLanguage(groupText(type, incidents, total), language),
      link: publicUrl === undefined ? undefined : `${publicUrl}/incidents`,
    }
  }
  return {
    ...base,
    data: { ...data, incident: whole },
    content: inLanguage(incidentText(type, incident, typeof reminder === 'number' ? reminder : 0, story), language),
    link: publicUrl === undefined ? undefined : `${publicUrl}/incidents/${incident.id}`,
  }
}
