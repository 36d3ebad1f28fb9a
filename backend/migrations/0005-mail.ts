import { createTables } from './create-tables.ts'
import { queueTable } from './queue-table.ts'

/** Mails that wait to be sent: stored in the transaction that causes them, deleted when the mail server accepts them. */
export const mail = createTables(queueTable('mail_outbox', { references: 'references organization (number) on delete cascade' }))
