import type { ChannelConfig, IncidentItem, Severity } from '@vedette/shared'
import type { Mail } from '../../platform/mail.ts'
import type { OutAnswer, OutRequest } from './delivery.ts'

/** What is told, in the words of people. */
export interface Words {
  /** One line. */
  title: string
  /** Some more, each a line. */
  lines: readonly string[]
  tone: Severity | 'resolved'
}

/** One telling, ready for any channel. */
export interface Message {
  /** The same on every repeat: `msg_…`. */
  id: string
  type: string
  atMs: number
  /** As webhooks have it. */
  data: { incident?: IncidentItem; [name: string]: unknown }
  words: Words
  /** Where people read more. */
  link: string | undefined
}

/** How a channel gets its message out. */
export interface Ways {
  /** Throws DeliveryError. What is no 2xx is an answer too. */
  send(request: OutRequest): Promise<OutAnswer>
  /** Puts a mail into the outbox, with the end of the telling. Throws DeliveryError where no mail server is set up. */
  mail(mail: Mail): void
  nowMs(): number
}

/** One type of channel: the one thing that it has to know is how a message looks there. */
export interface ChannelKind {
  /** Hands the message over; gives what the service said. Throws DeliveryError where it is not taken. */
  tell(config: ChannelSettings, message: Message, ways: Ways): Promise<OutAnswer | undefined>
}

/** A config whole, with what is kept of it beside. */
export interface ChannelSettings extends ChannelConfig {
  /** The secrets that sign, newest first. */
  secrets?: readonly string[]
}
