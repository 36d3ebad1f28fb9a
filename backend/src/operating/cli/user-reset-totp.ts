import { recordAudit, SYSTEM } from '../../access/audit/index.ts'
import { findUserByEmail, normalizeEmail, resetTotp } from '../../access/auth/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { encodeId } from '../../platform/ids.ts'
import { recordSecurityEvent } from '../../access/security-log/index.ts'
import { requireOption, type Task } from './command.ts'
import { withDatabase } from './database.ts'
import { findOrganizationsOf } from './operator-store.ts'

export const userResetTotp: Task = {
  name: 'user reset-totp',
  summary: 'remove the second factor, the recovery codes and the passkeys of a user and end all their sessions',
  options: { email: { type: 'string', value: 'ADDRESS', help: 'e-mail of the user' } },
  run: (call, context) => {
    const email = normalizeEmail(requireOption(call, 'email'))
    return withDatabase(context, async (db) => {
      const user = await findUserByEmail(db, email)
      if (!user) throw new Error(`There is no user ${email}.`)
      const ended = await inTransaction(db, async (transaction) => {
        const at = new Date(context.clock.now())
        const sessionsEnded = await resetTotp(transaction, user.id, at)
        if (sessionsEnded === undefined) return undefined
        const details = { sessions_ended: sessionsEnded }
        const event = { ...SYSTEM, type: 'second_factor.disabled', userId: user.id, details } as const
        await recordSecurityEvent(transaction, event, at)
        const target = { kind: 'user', id: user.id } as const
        const entry = { action: 'user.totp_reset', target, details: { email, sessions_ended: sessionsEnded } }
        for (const number of await findOrganizationsOf(transaction, user.id))
          await recordAudit(transaction, number, SYSTEM, entry, at)
        return sessionsEnded
      })
      const isRemoved = ended !== undefined
      return {
        json: { id: encodeId('user', user.id), email, removed: isRemoved, sessions_ended: ended ?? 0 },
        text: isRemoved
          ? `the second factor and the passkeys of ${email} were removed and their sessions ended`
          : `${email} had no second factor and no passkey; nothing was changed`,
      }
    })
  },
}
