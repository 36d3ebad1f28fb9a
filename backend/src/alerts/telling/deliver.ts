import { encodeId } from '../../platform/ids.ts'
import type { Mail } from '../../platform/mail.ts'
import type { Sealer } from '../../platform/sealer.ts'
import { openChannel } from '../channels/sealed.ts'
import type { ChannelRow } from '../channels/store.ts'
import { DeliveryError, type OutAnswer, type OutRequest } from './delivery.ts'
import type { ChannelKind, ChannelSettings, Message } from './message.ts'
import type { QueuedTelling, ToldEvent } from './store.ts'
import { wordsOfEvent, wordsOfIncident } from './words.ts'

export interface DeliveryDeps {
  /** Of the secrets of channels. */
  sealer: Sealer
  kinds: Readonly<Partial<Record<string, ChannelKind>>>
  send(request: OutRequest): Promise<OutAnswer>
  sendsMail: boolean
  nowMs(): number
}

/** What came of it. */
export interface Delivered {
  answer: OutAnswer | undefined
  /** To be put into the outbox. */
  mails: Mail[]
}

/** Brings a message to a channel. Throws DeliveryError. */
export async function deliver(
  { sealer, kinds, send, sendsMail, nowMs }: DeliveryDeps,
  channel: ChannelRow,
  message: Message,
): Promise<Delivered> {
  const kind = kinds[channel.type]
  if (!kind) throw new DeliveryError('not_set_up', `this version cannot send to ${channel.type}`)
  const mails: Mail[] = []
  const mail = (one: Mail) => {
    if (!sendsMail) throw new DeliveryError('not_set_up', 'no mail server is set up (VEDETTE_SMTP_URL)')
    mails.push(one)
  }
  const answer = await kind.tell(settingsOf(sealer, channel, nowMs()), message, { send, mail, nowMs })
  return { answer, mails }
}

function settingsOf(sealer: Sealer, channel: ChannelRow, nowMs: number): ChannelSettings {
  const { config, retired } = openChannel(sealer, channel)
  if (config.secret === undefined) return config
  return { ...config, secrets: [config.secret, ...(retired && retired.untilMs > nowMs ? [retired.secret] : [])] }
}

/** What a telling says. `publicUrl` is where people reach the product, where that is known. Pure. */
export function messageOf(telling: QueuedTelling, told: ToldEvent, publicUrl: string | undefined): Message {
  const { type, evidence, timeline } = told
  const data: Message['data'] = told.data
  const base = { id: encodeId('telling', telling.id), type, atMs: telling.created_at.getTime() }
  const { incident, reminder } = data
  if (!incident) return { ...base, data, words: wordsOfEvent(type, data), link: publicUrl }
  const whole = { ...incident, evidence: evidence ?? {}, timeline: timeline ?? [] }
  return {
    ...base,
    data: { ...data, incident: whole },
    words: wordsOfIncident(type, incident, typeof reminder === 'number' ? reminder : 0),
    link: publicUrl === undefined ? undefined : `${publicUrl}/incidents/${incident.id}`,
  }
}
