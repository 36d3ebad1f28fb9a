import { oneLine } from '@vedette/shared'
import type { ReceivedAlert } from '../formats/format.ts'

export interface SubjectReading {
  status: 'firing' | 'resolved' | 'acknowledged'
  severity: string | null
  /** The subject without the words of its state, the same for all mails about one thing. */
  key: string
}

interface SubjectRule {
  /** What it recognizes, as the docs show it. */
  example: string
  pattern: RegExp
  status: ReceivedAlert['status'] & SubjectReading['status']
  severity?: string
}

const MAX_SUBJECT = 1_000
const REPLY = /^(?:(?:re|fwd?|aw|wg)\s?:\s*)+/i
/** `[Shop] [🔴 Down] connect ECONNREFUSED`: what follows the state is another text each time. */
const AFTER_STATE = /^(\[.{1,300}\]) \[[^\]\w]{0,10}(?:down|up)\].*$/i

/** The first rule that fits says what a mail means; the words of all of them are left out of the key. */
export const SUBJECT_RULES: readonly SubjectRule[] = [
  { example: 'CRIT -> OK', pattern: /\b\w{1,20} -> (?:OK|UP)\b/i, status: 'resolved' },
  { example: 'OK -> CRIT', pattern: /\b\w{1,20} -> (?:CRIT(?:ICAL)?|DOWN)\b/i, status: 'firing', severity: 'critical' },
  { example: 'OK -> WARN', pattern: /\b\w{1,20} -> (?:WARN(?:ING)?|UNKNOWN)\b/i, status: 'firing', severity: 'warning' },
  { example: '[RESOLVED]', pattern: /\[(?:resolved|ok|recovery|recovered|up)(?::\d{1,5})?\]/i, status: 'resolved' },
  { example: '[✅ Up]', pattern: /\[[^\]\w]{1,10}up\]/i, status: 'resolved' },
  { example: 'RECOVERY', pattern: /\bRECOVER(?:Y|ED)\b:?/i, status: 'resolved' },
  { example: 'Resolved in 5m:', pattern: /^resolved(?: in [^:]{1,40})?:/i, status: 'resolved' },
  { example: 'OK:', pattern: /^(?:ok|up)\s?[:|-]/i, status: 'resolved' },
  { example: 'is up', pattern: /\bis (?:up(?: again)?|ok|back to normal|online)\b/i, status: 'resolved' },
  { example: 'ACKNOWLEDGEMENT', pattern: /\bACKNOWLEDGEMENT\b:?/, status: 'acknowledged' },
  { example: '[FIRING:2]', pattern: /\[(?:firing|alerting|problem|alert|down|critical)(?::\d{1,5})?\]/i, status: 'firing' },
  { example: '[🔴 Down]', pattern: /\[[^\]\w]{1,10}down\]/i, status: 'firing', severity: 'critical' },
  { example: 'is CRITICAL', pattern: /\bis (?:critical|down|offline|unreachable)\b/i, status: 'firing', severity: 'critical' },
  { example: 'is WARNING', pattern: /\bis (?:warning|unknown)\b/i, status: 'firing', severity: 'warning' },
  { example: 'DOWN |', pattern: /^(?:down|critical)\s?[:|-]/i, status: 'firing', severity: 'critical' },
  { example: 'WARNING:', pattern: /^warning\s?[:|-]/i, status: 'firing', severity: 'warning' },
  { example: 'PROBLEM', pattern: /\bPROBLEM\b:?|^(?:problem|alarm|alert|firing)\s?:/, status: 'firing' },
  { example: 'ALARM:', pattern: /^(?:alarm|alert|problem|firing)\s?:/i, status: 'firing' },
]

/** What a subject means. One that no rule fits opens an alert, without a severity. Pure. */
export function readSubject(subject: string): SubjectReading {
  const line = oneLine(subject.slice(0, MAX_SUBJECT)).replace(REPLY, '')
  const rule = SUBJECT_RULES.find(({ pattern }) => pattern.test(line))
  const status = rule?.status ?? 'firing'
  const severe = SUBJECT_RULES.find(({ severity, pattern }) => severity !== undefined && pattern.test(line))
  return { status, severity: (status === 'firing' ? severe?.severity : undefined) ?? null, key: keyOf(line) }
}

function keyOf(line: string): string {
  const named = line.replace(AFTER_STATE, '$1')
  const stripped = SUBJECT_RULES.reduce((text, { pattern }) => text.replace(pattern, ' '), named)
  return stripped
    .replaceAll(/\s+([:,])/g, '$1')
    .replaceAll(/\s{2,}/g, ' ')
    .replace(/^[\s:|*-]+/, '')
    .replace(/[\s:|*-]{1,100}$/, '')
}
