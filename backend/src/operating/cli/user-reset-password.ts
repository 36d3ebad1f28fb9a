import { recordAudit, SYSTEM } from '../../access/audit/index.ts'
import { findUserByEmail, normalizeEmail, setPassword } from '../../access/auth/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { encodeId } from '../../platform/ids.ts'
import { recordSecurityEvent } from '../../access/security-log/index.ts'
import { requireOption, type Task } from './command.ts'
import { withDatabase } from './database.ts'
import { findOrganizationsOf } from './operator-store.ts'
import { choosePassword, PASSWORD_OPTION } from './password.ts'

export const userResetPassword: Task = {
  name: 'user reset-password',
  summary: 'set a new password for a user and end all their sessions',
  options: { email: { type: 'string', value: 'ADDRESS', help: 'e-mail of the user' }, ...PASSWORD_OPTION },
  run: async (call, context) => {
    const email = normalizeEmail(requireOption(call, 'email'))
    const { hash, generated } = await choosePassword(call, context)
    return withDatabase(context, async (db) => {
      const user = await findUserByEmail(db, email)
      if (!user) throw new Error(`There is no user ${email}.`)
      const at = new Date(context.clock.now())
      await inTransaction(db, async (transaction) => {
        const ended = await setPassword(transaction, user.id, hash, at)
        const event = { ...SYSTEM, type: 'password.reset', userId: user.id, details: { sessions_ended: ended } } as const
        await recordSecurityEvent(transaction, event, at)
        const entry = { action: 'user.password_reset', target: { kind: 'user', id: user.id } as const, details: { email } }
        // Recorded in each organization of the user.
        for (const number of await findOrganizationsOf(transaction, user.id))
          await recordAudit(transaction, number, SYSTEM, entry, at)
      })
      const shown = generated === undefined ? {} : { password: generated }
      return {
        json: { id: encodeId('user', user.id), email, ...shown },
        text: [
          `${email} has a new password and is signed out`,
          ...(generated === undefined ? [] : [`password: ${generated}`]),
        ].join('\n'),
      }
    })
  },
}
