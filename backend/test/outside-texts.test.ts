import { oneLine, toCsvCell, toTerminal, toTerminalJson } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { beginMail, endMail } from '../src/notifying/handovers/mail.ts'
import { composeMail } from '../src/notifying/mail/index.ts'
import { invitationMail } from '../src/access/members/invitation-mail.ts'
import { summaryMail } from '../src/pages/weekly-summary/mail.ts'
import { HOSTILE_TEXTS, STEERING } from './outside-texts.ts'

const LANGUAGES = ['en', 'de'] as const

describe.each(Object.entries(HOSTILE_TEXTS))('a text with %s', (_what, text) => {
  it('steers no terminal and adds no line to a list', () => {
    expect(toTerminal(text).replaceAll(/[\n\t]/g, '')).not.toMatch(STEERING)
    expect(oneLine(text)).not.toMatch(STEERING)
  })

  it('is the same value in JSON for terminals and logs, without steering either', () => {
    const json = toTerminalJson(JSON.stringify({ text }))
    expect(json).not.toMatch(STEERING)
    expect(JSON.parse(json)).toEqual({ text })
  })

  it('is no formula and one cell of CSV', () => {
    const cell = toCsvCell(text)
    const [, quoted = cell] = /^"([\s\S]*)"$/.exec(cell) ?? []
    expect(quoted).not.toMatch(/^[=+\-@\t\r]/)
    expect(cell === quoted ? cell : quoted.replaceAll('""', '')).not.toMatch(cell === quoted ? /[",\r\n]/ : /"/)
  })

  it.each(LANGUAGES)('adds no header, no line and no tag to a mail in %s', (language) => {
    const letter = { to: 'ada@example.com', inviter: text, role: 'member' as const, acceptUrl: 'https://example.com/#a' }
    const mailOf = (organization: string, inviter: string) =>
      invitationMail({ ...letter, language, organization, inviter, expiresAt: '2026-11-21T09:24:31.000Z' })
    const [mail, harmless] = [mailOf(text, text), mailOf('Shop', 'ada')]
    expect(mail.subject).not.toMatch(STEERING)
    expect(mail.text.split('\n').length).toBe(harmless.text.split('\n').length)
    expect(mail.text.replaceAll('\n', '')).not.toMatch(STEERING)
    expect(mail.html.match(/<[^>]*>/g)).toEqual(harmless.html.match(/<[^>]*>/g))
    expect(composeMail({ to: 'ada@example.com', subject: text, paragraphs: [text] }).subject).not.toMatch(STEERING)
  })

  it.each(LANGUAGES)('adds no header, no line and no tag to the mails of a handover in %s', (language) => {
    const mailsOf = (name: string) => {
      const schedule = { name, timeZone: 'UTC', url: 'https://example.com' }
      const handover = { organization: name, language, schedule, before: [name], onDuty: [name], untilMs: 0 }
      const incident = { name, link: 'https://example.com', value: 'open' }
      return [
        beginMail('ada@example.com', handover, { total: 1, incidents: [incident] }),
        endMail('ada@example.com', handover),
      ] as const
    }
    for (const part of [0, 1] as const) {
      const [mail, harmless] = [mailsOf(text)[part], mailsOf('Shop')[part]]
      expect(mail.subject).not.toMatch(STEERING)
      expect(mail.text.split('\n').length).toBe(harmless.text.split('\n').length)
      expect(mail.text.replaceAll('\n', '')).not.toMatch(STEERING)
      expect(mail.html.match(/<[^>]*>/g)).toEqual(harmless.html.match(/<[^>]*>/g))
    }
  })

  it.each(LANGUAGES)('adds no header, no line and no tag to a weekly summary in %s', (language) => {
    const letter = { to: 'ada@example.com', url: 'https://example.com', unsubscribeUrl: 'https://example.com/off?token=a' }
    const mailOf = (name: string) => {
      const ranked = [{ id: 'id', name, value: 1 }]
      const incident = { id: 'inc', summary: name, isOpen: false, lastedMs: 1 }
      const lists = { worst: ranked, slowest: ranked, fullestDisks: ranked, fullestMemory: ranked }
      const incidents = { total: 1, lastedMs: 1, longest: [incident] }
      const counts = { monitors: 1, servers: 1, uptimePercent: 99 }
      const worst = {
        code: 'unit_failed',
        severity: 'warning',
        text: name,
        sinceMs: 0,
        entityId: null,
        field: null,
        value: null,
        limit: null,
      } as const
      const health = { total: 1, servers: [{ id: 'srv', name, findings: 2, worst }] }
      const week = { fromMs: 0, toMs: 1, ...counts, ...lists, incidents, health, open: { total: 1, incidents: [incident] } }
      return summaryMail({ ...letter, language, organization: name }, week)
    }
    const [mail, harmless] = [mailOf(text), mailOf('Shop')]
    expect(mail.subject).not.toMatch(STEERING)
    expect(mail.text.split('\n').length).toBe(harmless.text.split('\n').length)
    expect(mail.text.replaceAll('\n', '')).not.toMatch(STEERING)
    expect(mail.html).not.toMatch(STEERING)
    expect(mail.html.match(/<[^>]*>/g)).toEqual(harmless.html.match(/<[^>]*>/g))
  })
})
