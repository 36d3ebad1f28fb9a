import type { Role } from '@vedette/shared'
import type { Mail } from '../platform/mail.ts'

export interface InvitationLetter {
  to: string
  organization: string
  /** E-mail of the inviting user; null for an API key. */
  inviter: string | null
  role: Role
  acceptUrl: string
  /** ISO 8601. */
  expiresAt: string
}

/** The mail as text and as HTML. Names are user input: they cannot become headers or tags. */
export function invitationMail({ to, organization, inviter, role, acceptUrl, expiresAt }: InvitationLetter): Mail {
  const name = oneLine(organization)
  const by = inviter === null ? 'You are invited' : `${inviter} invites you`
  const lines = [
    `${by} to join the organization "${name}" on Vedette, as ${role}.`,
    'Open this link to accept:',
    `The link can be used once, until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC. If you did not expect it, ignore this mail.`,
  ] as const
  const [invitation, request, terms] = lines.map(escapeHtml)
  const link = escapeHtml(acceptUrl)
  return {
    to,
    subject: `Join ${name} on Vedette`,
    text: `${lines[0]}\n\n${lines[1]}\n${acceptUrl}\n\n${lines[2]}\n`,
    html: `<p>${invitation}</p><p>${request}<br><a href="${link}">${link}</a></p><p>${terms}</p>`,
  }
}

/** Removes control characters: they could end a header or forge a line of the mail. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string)
}
