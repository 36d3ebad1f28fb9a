import { createTables } from './create-tables.ts'

/**
 * Mails to the people of a schedule when its duty changes. `on_duty`: the person whom the last mails named; null: nobody.
 * `handover_at`: when it is examined next; null: never examined, so that a schedule of an older version begins without a mail.
 */
export const handovers = createTables([
  `alter table schedule
    add column handover_mail boolean not null default true,
    add column on_duty uuid,
    add column handover_at timestamptz`,
])
