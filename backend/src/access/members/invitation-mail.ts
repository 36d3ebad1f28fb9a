import { oneLine, type Role } from '@vedette/shared'
import { composeMail } from '../../notifying/mail/index.ts'
import type { Language } from '../../platform/language/index.ts'
import type { Mail } from '../../platform/mail.ts'

export interface InvitationLetter {
  to: string
  organization: string
  language: Language
  /** Name and e-mail of the inviting user; null for an API key. */
  inviter: string | null
  role: Role
  acceptUrl: string
  /** ISO 8601. */
  expiresAt: string
}

export function invitationMail({ to, organization, language, inviter, role, acceptUrl, expiresAt }: InvitationLetter): Mail {
  const name = oneLine(organization)
  const by = inviter === null ? 'You are invited' : `${inviter} invites you`
  return composeMail({
    to,
    language,
    subject: `Join ${name} on Vedette`,
    paragraphs: [
      `${by} to join the organization "${name}" on Vedette, as ${role}. Open this link to accept:`,
      `The link can be used once, until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC. If you did not expect it, ignore this mail.`,
    ],
    link: acceptUrl,
  })
}
