import { createTables } from './create-tables.ts'

/** `on_duty`: the people whom the last mails of a handover named, of whom there may be several; empty: nobody. */
export const severalOnDuty = createTables([
  `alter table schedule
    alter column on_duty type uuid[] using case when on_duty is null then '{}' else array[on_duty] end,
    alter column on_duty set default '{}',
    alter column on_duty set not null`,
])
