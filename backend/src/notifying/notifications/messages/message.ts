import type { ChannelConfig, IncidentItem, Severity } from '@vedette/shared'
import type { Language } from '../../../platform/language/index.ts'
import type { Mail } from '../../../platform/mail.ts'
import type { OutboundResponse, OutboundRequest } from './delivery.ts'

/** What has ended with an incident. */
export interface EndedStory {
  incident_count: number
  text: string
}

/** What people read. */
export interface MessageText {
  /** One line. */
  title: string
  /** Details, one a line. */
  lines: readonly string[]
  tone: Severity | 'resolved'
}

/** A notification, ready for any channel. */
export interface Message {
  /** The same on every attempt: `msg_…`. */
  id: string
  type: string
  atMs: number
  /** The body of webhooks. Of several incidents `incident` is the first, `incidents` are the first of them. */
  data: {
    incident?: IncidentItem
    incidents?: readonly IncidentItem[]
    total?: number
    story?: EndedStory
    [name: string]: unknown
  }
  content: MessageText
  /** Of `content`, and of links and buttons; English without one. */
  language?: Language
  /** The page with more details. */
  link: string | undefined
  /** What the link says, if not the usual. A fixed text: not every channel can escape it. */
  linkText?: string
  /** `inc_…`: chats show the buttons that its status allows, where the channel knows who presses them. */
  actionIncident?: string
  /** By which the person who gets it acknowledges, snoozes or resolves the incident without a sign-in. */
  actionLink?: string
}

/** How a channel sends. */
export interface Transports {
  /** Throws DeliveryError; a response that is not a 2xx is returned. */
  send(request: OutboundRequest): Promise<OutboundResponse>
  /** Stores a mail in the outbox, with the end of the delivery. Throws DeliveryError without a mail server. */
  mail(mail: Mail): void
  nowMs(): number
}

/** A channel type: it turns a message into a request. */
export interface ChannelKind {
  /** The service groups by itself, and must know each incident to end its alert. */
  takesEachIncident?: true
  /** It links to the runbook of an incident; for other kinds the texts have a line with it. */
  linksRunbook?: true
  /** Sends the message and returns the response. Throws DeliveryError where it is not accepted. */
  deliver(config: ChannelSettings, message: Message, ways: Transports): Promise<OutboundResponse | undefined>
}

/** The config of a channel, with its signing secrets. */
export interface ChannelSettings extends ChannelConfig {
  /** Newest first. */
  secrets?: readonly string[]
}
