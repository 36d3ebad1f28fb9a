import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resetMail } from '../src/access/auth/password-reset.ts'
import { beginMail, endMail } from '../src/notifying/handovers/mail.ts'
import { translatePart } from '../src/platform/language/index.ts'
import { textsIn } from './source-texts.ts'

/** Files whose sentences are those of mails. */
const MAILS = [
  'access/api-keys/ending-keys.ts',
  'access/auth/account-mail.ts',
  'access/auth/new-place-mail.ts',
  'access/members/invitation-mail.ts',
  'notifying/handovers/mail.ts',
  'pages/weekly-summary/mail.ts',
]
const ENGLISH = /\b(?:the|is|are|has|have|of|with|and|not|for|you|your|it|this|that|to|more|now|open|since|until)\b/i
/** What such a file says to nobody: names of files and fields, units, and what is composed in other texts. */
const OTHERS = [
  /\.ts$/,
  /^[a-z]+$/,
  /^\d/,
  /^[- ,<(@]/,
  /^(?:2-digit|en-GB)$/,
  /^12 (?:d|h|min)$/,
  /^(?:You are invited|12 invites you)$/,
]

const texts = MAILS.flatMap((path) => textsIn(join(import.meta.dirname, '../src', path)))

describe('a mail in German', () => {
  it.each([...new Set(texts)].filter((text) => /[a-z]{3}/.test(text) && !OTHERS.some((other) => other.test(text))))(
    '%s',
    (text) => {
      const german = translatePart(text, 'de')
      expect(german).not.toBe(text)
      expect(german).not.toMatch(ENGLISH)
    },
  )

  const schedule = { name: 'Nächte', timeZone: 'Europe/Berlin', url: 'https://example.com' }
  const handover = { organization: 'Acme', language: 'de', schedule, before: [], onDuty: ['Ada'], untilMs: 0 } as const
  it('says when a shift ends as Germans write it', () => {
    const [begins] = beginMail('ada@example.com', { ...handover, onDuty: [] }, { total: 0, incidents: [] }).text.split('\n')
    expect(begins).toBe(
      'Du hast Bereitschaft im Bereitschaftsplan „Nächte“ von Acme bis Donnerstag, 1. Januar um 01:00 (Europe/Berlin).',
    )
    expect(endMail('ada@example.com', handover).text).toContain('Jetzt hat Ada Bereitschaft, bis Donnerstag')
    const together = { ...handover, onDuty: ['Ada', 'Ben'] }
    expect(endMail('ada@example.com', together).text).toContain('um 01:00 (Europe/Berlin) Bereitschaft: Ada, Ben.')
    expect(beginMail('cem@example.com', together, { total: 0, incidents: [] }).text).toContain('\nMit dir: Ada, Ben.\n')
  })

  it('with a link to a new password has the link in its place', () => {
    const { subject, text } = resetMail('ada@example.com', 'https://example.com/#token=a', 'de')
    expect(subject).toBe('Neues Passwort für Vedette wählen')
    expect(text).toContain('\n\nhttps://example.com/#token=a\n\nDer Link gilt einmal')
    expect(text).not.toMatch(ENGLISH)
  })
})
