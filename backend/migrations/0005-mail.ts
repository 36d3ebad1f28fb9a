import { createTables } from './create-tables.ts'
import { queueTable } from './queue-table.ts'

/**
 * Mails that wait to be sent: stored in the transaction that causes them, deleted when the mail server accepts them. Those about a
 * person's account have the organization 0, which does not exist; so the table has no foreign key.
 */
export const mail = createTables(queueTable('mail_outbox', {}))
