import { DESCRIPTION, type IncidentItem, oneLine, truncateText } from '@vedette/shared'
import { type Language, translate, translatePart } from '../../../platform/language/index.ts'
import type { EndedStory, Message, MessageText } from './message.ts'

const BUTTONS = { acknowledge: 'Acknowledge', snooze: 'Snooze 1 h', resolve: 'Resolve' } as const
type ButtonAction = keyof typeof BUTTONS
const ACTIONS: readonly ButtonAction[] = ['acknowledge', 'snooze', 'resolve']

export interface Button {
  action: string
  text: string
  /** What a press sends. */
  value: string
}

/** What can still be done about the incident of a message, where chats have buttons. Pure. */
export function buttonsOf(message: Message): Button[] {
  const { actionIncident: id, data } = message
  const { incident } = data
  if (id === undefined || incident?.status === 'resolved') return []
  const actions = ACTIONS.filter((action) => action !== 'acknowledge' || incident?.status === 'open')
  return actions.map((action) => ({ action, text: buttonTextOf(action, message), value: `${action} ${id}` }))
}

/** Pure. */
export const buttonTextOf = (action: ButtonAction, { language }: Pick<Message, 'language'>): string =>
  partIn(BUTTONS[action], language)

const partIn = (text: string, language: Language = 'en'): string => translatePart(text, language)

/** What the link of a message says. Pure. */
export const linkTextOf = ({ linkText, language }: Pick<Message, 'linkText' | 'language'>): string =>
  linkText ?? partIn('Open in Vedette', language)

/** What the link to the runbook says. Pure. */
export const runbookTextOf = ({ language }: Pick<Message, 'language'>): string => partIn('Runbook', language)

/** What to do about the one incident of a message while it is not resolved: the page that its rule names, else its target. Pure. */
export function runbookOf({ data: { incident, incidents } }: Pick<Message, 'data'>): string | undefined {
  if (!incident || incidents || incident.status === 'resolved') return undefined
  const { evidence } = incident as { evidence?: { documentation?: Record<string, { runbook_url?: unknown } | undefined> } }
  const { rule, target } = evidence?.documentation ?? {}
  const url = rule?.runbook_url ?? target?.runbook_url
  return typeof url === 'string' && url.length <= DESCRIPTION.urlLength && /^https?:\/\/[^\s<>"|]+$/.test(url) ? url : undefined
}

/** With a line for the runbook, for channels that do not link to it. Pure. */
export function withRunbookLine(message: Message): Message {
  const url = runbookOf(message)
  if (url === undefined) return message
  return { ...message, content: { ...message.content, lines: [...message.content.lines, `${runbookTextOf(message)}: ${url}`] } }
}

/** What the link says by which the person acts. Pure. */
export const actionTextOf = ({ language }: Pick<Message, 'language'>): string =>
  partIn('Acknowledge, snooze or resolve', language)

/** What people read in the language of the organization; the data of webhooks stays as it is. Pure. */
export const inLanguage = ({ title, lines, tone }: MessageText, language: Language): MessageText => ({
  title: translate(title, language),
  lines: lines.map((line) => translate(line, language)),
  tone,
})

/** At most this many UTF-16 units, without splitting a character; a truncated text ends with `…`. Pure. */
export function truncate(text: string, length: number): string {
  return truncateText(text, length, '…')
}

/** At most this many UTF-16 units after each character is escaped; none is split from its escape. Pure. */
export function truncateEscaped(text: string, length: number, escape: (character: string) => string): string {
  const whole = Array.from(text, escape).join('')
  if (whole.length <= length) return whole
  const kept = takePrefix(text, length - 1, (character) => escape(character).length)
  return `${Array.from(kept, escape).join('')}…`
}

const ELLIPSIS_BYTES = 3

/** The same in bytes of UTF-8. Pure. */
export function truncateBytes(text: string, bytes: number): string {
  return Buffer.byteLength(text) <= bytes ? text : `${takePrefix(text, bytes - ELLIPSIS_BYTES, Buffer.byteLength)}…`
}

function takePrefix(text: string, room: number, sizeOf: (character: string) => number): string {
  let prefix = ''
  let size = 0
  for (const character of text) {
    size += sizeOf(character)
    if (size > room) break
    prefix += character
  }
  return prefix
}

const VERBS: Readonly<Record<string, string>> = {
  'incident.flapping': 'Flapping: ',
  'incident.stable': 'No longer flapping: ',
  'incident.acknowledged': 'Acknowledged: ',
  'incident.resolved': 'Resolved: ',
}

/** The text of a step of an incident, or of the end of its story; `reminder` is 0 for the first notification. Pure. */
export function incidentText(type: string, incident: IncidentItem, reminder: number, story?: EndedStory): MessageText {
  const summary = oneLine(story ? `${story.incident_count} incidents: ${story.text}` : incident.summary)
  const verb = reminder > 0 ? 'Still open: ' : (VERBS[type] ?? '')
  const lines = [
    `${incident.target.type}: ${oneLine(incident.target.name)}`,
    `severity: ${incident.severity}`,
    `opened: ${incident.opened_at}`,
    ...(incident.resolved_at === null ? [] : [`resolved: ${incident.resolved_at}`]),
  ]
  return { title: `${verb}${summary}`, lines, tone: type === 'incident.resolved' ? 'resolved' : incident.severity }
}

/** Incidents that a message lists; it says how many more there are. */
const MAX_LISTED = 20
const MAX_LISTED_LENGTH = 200
const SEVERITY_ORDER = ['critical', 'warning', 'info'] as const

/** The text of several incidents that opened, or ended: `total` counts those that are not given, too. Pure. */
export function groupText(type: string, incidents: readonly IncidentItem[], total: number): MessageText {
  const listed = incidents.slice(0, MAX_LISTED)
  const isOver = type === 'incident.resolved'
  const lines = listed.map(({ severity, summary }) => truncate(`${severity}: ${oneLine(summary)}`, MAX_LISTED_LENGTH))
  const worst = SEVERITY_ORDER.find((one) => incidents.some(({ severity }) => severity === one)) ?? 'critical'
  return {
    title: `${total} incidents ${isOver ? 'resolved' : 'opened'}`,
    lines: total > listed.length ? [...lines, `and ${total - listed.length} more`] : lines,
    tone: isOver ? 'resolved' : worst,
  }
}

/** Title and lines as plain text. Pure. */
export const toPlainText = ({ title, lines }: MessageText): string => [title, ...lines].join('\n')

/** The text of any other event: the problem of the installation, else the name of the event. Pure. */
export function eventText(type: string, { problem }: Readonly<Record<string, unknown>>): MessageText {
  const { message, since } = (problem ?? {}) as { message?: string; since?: string }
  const tone = type === 'vedette.unwell' ? 'warning' : type === 'vedette.well' ? 'resolved' : 'info'
  const lines = [`event: ${type}`, ...(since === undefined ? [] : [`since: ${since}`])]
  return { title: message === undefined ? type : oneLine(message), lines, tone }
}

/** The text of a test message. Pure. */
export function testText(channel: string): MessageText {
  return { title: `Test of the channel ${oneLine(channel)}`, lines: ['Notifications to this channel work.'], tone: 'info' }
}
