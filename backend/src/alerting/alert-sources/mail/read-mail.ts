import { alertOf } from '../formats/fields.ts'
import type { ReceivedAlert } from '../formats/format.ts'
import { readMessage } from './message.ts'
import { readSubject } from './subject.ts'

/** The alert that a mail describes. Never fails: a mail without subject and text is an alert too. Pure. */
export function readMail(raw: Buffer): ReceivedAlert {
  const { headers, text: sent } = readMessage(raw)
  const text = sent.replaceAll('\r\n', '\n').trim()
  const subject = headers.get('subject') ?? ''
  const from = addressOf(headers.get('from') ?? '')
  const { status, severity, key } = readSubject(subject)
  const title = subject.trim() === '' ? (text.split('\n', 1)[0] ?? '') : subject
  return alertOf({ key: key || from || 'mail', status, title, severity, text: text || null, labels: { from } })
}

/** `ada@example.com` of `Ada <ada@example.com>`. */
const addressOf = (header: string): string =>
  (/<([^<>\s]{1,254})>/.exec(header)?.[1] ?? header).trim().slice(0, 254).toLowerCase()
