import { createTables } from './create-tables.ts'
import { queueTable } from './queue-table.ts'

/** Visitors of status pages subscribe without a mail server. */
export const visitorBrowsers = createTables([
  // `address_hash` is that of the endpoint of a browser, or of the URL that a visitor gave: a page has each once. `browser_encrypted` is
  // the subscription of a browser at its push service.
  'alter table status_subscriber drop constraint status_subscriber_type_check',
  `alter table status_subscriber
    add constraint status_subscriber_type_check check (type in ('email', 'browser', 'webhook', 'slack', 'teams')),
    add column address_hash bytea,
    add column browser_encrypted bytea,
    add unique (organization, page_id, address_hash)`,
  ...queueTable('subscriber_push', { references: 'references organization (number) on delete cascade' }),
])
