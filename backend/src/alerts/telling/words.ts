import type { IncidentItem } from '@vedette/shared'
import type { Words } from './message.ts'

/** Line breaks and other control characters would forge lines, headers and titles. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()

/** At most so many UTF-16 units, and no half of a character; what is cut ends in `…`. Pure. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${beginning(text, length - 1, (character) => character.length)}…`
}

const ELLIPSIS_BYTES = 3

/** The same in bytes of UTF-8. Pure. */
export function cutBytes(text: string, bytes: number): string {
  return Buffer.byteLength(text) <= bytes ? text : `${beginning(text, bytes - ELLIPSIS_BYTES, Buffer.byteLength)}…`
}

function beginning(text: string, room: number, sizeOf: (character: string) => number): string {
  let kept = ''
  let size = 0
  for (const character of text) {
    size += sizeOf(character)
    if (size > room) break
    kept += character
  }
  return kept
}

const VERBS: Readonly<Record<string, string>> = {
  'incident.acknowledged': 'Acknowledged: ',
  'incident.resolved': 'Resolved: ',
}

/** Of a step of an incident. `reminder` is 0 where it is told for the first time. Pure. */
export function wordsOfIncident(type: string, incident: IncidentItem, reminder: number): Words {
  const summary = oneLine(incident.summary)
  const verb = reminder > 0 ? 'Still open: ' : (VERBS[type] ?? '')
  const lines = [
    `${incident.target.type}: ${oneLine(incident.target.name)}`,
    `severity: ${incident.severity}`,
    `opened: ${incident.opened_at}`,
    ...(incident.resolved_at === null ? [] : [`resolved: ${incident.resolved_at}`]),
  ]
  return { title: `${verb}${summary}`, lines, tone: type === 'incident.resolved' ? 'resolved' : incident.severity }
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** As text in HTML. Pure. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string)

/** Title and lines, each on its own. Pure. */
export const textOf = ({ title, lines }: Words): string => [title, ...lines].join('\n')

/** Of whatever else is told: what is wrong with the installation, else the bare event. Pure. */
export function wordsOfEvent(type: string, { problem }: Readonly<Record<string, unknown>>): Words {
  const { message, since } = (problem ?? {}) as { message?: string; since?: string }
  const tone = type === 'vedette.unwell' ? 'warning' : type === 'vedette.well' ? 'resolved' : 'info'
  const lines = [`event: ${type}`, ...(since === undefined ? [] : [`since: ${since}`])]
  return { title: message === undefined ? type : oneLine(message), lines, tone }
}

/** Of a test that somebody asked for. Pure. */
export function wordsOfTest(channel: string): Words {
  return { title: `Test of the channel ${oneLine(channel)}`, lines: ['Vedette can tell you here.'], tone: 'info' }
}
