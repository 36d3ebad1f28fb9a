import type { Role } from '@vedette/shared'
import type { Mail } from '../platform/mail.ts'

export interface InvitationLetter {
  to: string
  organization: string
  /** E-mail of who invites; null when an API key did. */
  inviter: string | null
  role: Role
  acceptUrl: string
  /** ISO 8601. */
  expiresAt: string
}

/** The same words as text and as HTML. Names are people's own text: nothing of them becomes a header or a tag. */
export function invitationMail({ to, organization, inviter, role, acceptUrl, expiresAt }: InvitationLetter): Mail {
  const name = oneLine(organization)
  const by = inviter === null ? 'You are invited' : `${inviter} invites you`
  const lines = [
    `${by} to join the organization "${name}" on Vedette, as ${role}.`,
    'Open this link to accept:',
    `The link works once, until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC. If you did not expect it, do nothing.`,
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

/** Line breaks and other control characters could end a header or forge a line of the letter. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string)
}
