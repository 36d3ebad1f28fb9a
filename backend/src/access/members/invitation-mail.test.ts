import { describe, expect, it } from 'vitest'
import { invitationMail } from './invitation-mail.ts'

const LETTER = {
  to: 'reader@example.com',
  organization: 'Acme',
  language: 'en',
  inviter: 'ada@example.com',
  role: 'admin',
  acceptUrl: 'https://vedette.example/invitations/accept?token=x&y',
  expiresAt: '2026-11-27T18:07:10.000Z',
} as const

describe('the letter of an invitation', () => {
  it('says who invites where to, with the link', () => {
    const { to, subject, text, html } = invitationMail(LETTER)
    expect([to, subject]).toEqual(['reader@example.com', 'Join Acme on Vedette'])
    expect(text).toMatch(/^ada@example\.com invites you to join the organization "Acme" on Vedette, as admin\./m)
    expect(text).toContain(`\n${LETTER.acceptUrl}\n`)
    expect(text).toContain('until 2026-11-27 18:07 UTC')
    expect(html).toContain('<a href="https://vedette.example/invitations/accept?token=x&amp;y">')
  })

  it('names the inviting person in German too', () => {
    const { subject, text } = invitationMail({ ...LETTER, language: 'de', inviter: 'Ada Lovelace (ada@example.com)' })
    expect(subject).toBe('Acme bei Vedette beitreten')
    expect(text).toMatch(
      /^Ada Lovelace \(ada@example\.com\) lädt dich ein, der Organisation „Acme“ bei Vedette als Admin beizutreten\./,
    )
    expect(text).toContain('bis 2026-11-27 18:07 UTC')
  })

  it('names nobody where an API key invites', () => {
    expect(invitationMail({ ...LETTER, inviter: null }).text).toMatch(/^You are invited to join the organization "Acme"/)
  })

  it('carries no markup and no header of others', () => {
    const { subject, text, html } = invitationMail({ ...LETTER, organization: 'Acme <b>&"\'\r\nBcc: x@example.com\u2028' })
    expect(subject).toBe('Join Acme <b>&"\' Bcc: x@example.com on Vedette')
    expect(text).not.toMatch(/^Bcc/m)
    expect(html).toContain('Acme &lt;b&gt;&amp;&quot;&#39; Bcc')
    expect(html).not.toContain('<b>')
  })
})
