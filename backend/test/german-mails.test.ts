import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resetMail } from '../src/access/auth/password-reset.ts'
import { beginMail, endMail } from '../src/notifying/handovers/mail.ts'
import { translatePart } from '../src/platform/language/index.ts'
import { textsIn } from './source-texts.ts'

const SOURCE = join(import.meta.dirname, '../src')
/** Files that compose mails; those to subscribers are in the language of their page, from a table of their own. */
const MAILS = globSync('**/*.ts', { cwd: SOURCE }).filter(
  (path) =>
    !path.endsWith('.test.ts') &&
    !path.startsWith('pages/status-pages/') &&
    readFileSync(join(SOURCE, path), 'utf8').includes('composeMail('),
)
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
  // Names of fields, actions and codes.
  /^[a-z]+(?:[._A-Z\d]\w*)+$/,
  // Errors of the API and lines of the log, which are English.
  /^(?:The password is|The current password is|You are the only owner|Another account has|No mail server is|The e-mail is verified)/,
  /^(?:This link was used already|a link to reset a password|A link to reset a password was not mailed)/,
]

const texts = MAILS.flatMap((path) => textsIn(join(SOURCE, path)))

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
