import { ROLES } from '@vedette/shared'
import { recordAudit, SYSTEM } from '../../access/audit/index.ts'
import { createUser, normalizeEmail } from '../../access/auth/index.ts'
import { countMembers, insertMembership } from '../../access/members/index.ts'
import { inTransaction, isUniqueViolation } from '../../platform/db/index.ts'
import { encodeId } from '../../platform/ids.ts'
import { refuseOverPlan } from '../../access/plans/index.ts'
import { recordSecurityEvent } from '../../access/security-log/index.ts'
import { oneOf, requireOption, type Task, UsageError } from './command.ts'
import { withDatabase } from './database.ts'
import { findOrganization } from './find-organization.ts'
import { choosePassword, PASSWORD_OPTION } from './password.ts'

const EMAIL = /^[^@\s]+@[^@\s]+$/
const EMAIL_MAX_LENGTH = 254

function readEmail(text: string): string {
  const email = normalizeEmail(text)
  if (!EMAIL.test(email) || email.length > EMAIL_MAX_LENGTH) throw new UsageError('--email must be an e-mail address')
  return email
}

export const userCreate: Task = {
  name: 'user create',
  summary: 'create a user, optionally as a member of an organization',
  options: {
    email: { type: 'string', value: 'ADDRESS', help: 'e-mail of the user' },
    ...PASSWORD_OPTION,
    organization: { type: 'string', value: 'org_…', help: 'the organization to join' },
    role: { type: 'string', value: 'ROLE', help: `with --organization: ${ROLES.join(', ')} (default: member)` },
  },
  run: async (call, context) => {
    const email = readEmail(requireOption(call, 'email'))
    const { organization: joins, role: givenRole } = call.options
    if (givenRole !== undefined && joins === undefined) throw new UsageError('--role requires --organization')
    const role = oneOf('--role', String(givenRole ?? 'member'), ROLES)
    const { hash, generated } = await choosePassword(call, context)
    return withDatabase(context, async (db) => {
      const organization = joins === undefined ? undefined : await findOrganization(db, String(joins))
      const id = await inTransaction(db, async (transaction) => {
        const userId = await createUser(transaction, context.clock, email, hash)
        const at = new Date(context.clock.now())
        const details = { email, ...(organization && { role }) }
        const event = { ...SYSTEM, type: 'user.created', userId, details } as const
        await recordSecurityEvent(transaction, organization ? { ...event, organization: organization.number } : event, at)
        if (!organization) return userId
        const { number } = organization
        await refuseOverPlan(transaction, number, 'members', (db) => countMembers(db, number))
        await insertMembership(transaction, number, userId, role, at)
        const entry = { action: 'member.added', target: { kind: 'user', id: userId } as const, details: { email, role } }
        await recordAudit(transaction, number, SYSTEM, entry, at)
        return userId
      }).catch((error: unknown) => {
        if (isUniqueViolation(error, 'app_user_email_key')) throw new Error(`The user ${email} already exists.`, { cause: error })
        throw error
      })
      const joined = organization && { organization_id: encodeId('organization', organization.id), role }
      const shown = generated === undefined ? {} : { password: generated }
      return {
        json: { id: encodeId('user', id), email, ...joined, ...shown },
        text: [
          `created ${email} (${encodeId('user', id)})`,
          ...(organization ? [`${role} of ${organization.name}`] : []),
          ...(generated === undefined ? [] : [`password: ${generated}`]),
        ].join('\n'),
      }
    })
  },
}
