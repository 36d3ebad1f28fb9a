import { createTables } from './create-tables.ts'

/** The event stream of an organization, partitioned by month: source of webhooks and of live listeners. */
export const events = createTables([
  // The transaction ids give the order in which events became visible: all transactions before `settled_before` had ended when
  // the event was stored.
  `create table live_event (
    organization integer not null,
    at timestamptz not null,
    id uuid not null,
    transaction_id xid8 not null,
    settled_before xid8 not null,
    type text not null,
    data jsonb not null,
    primary key (organization, id, at)
  ) partition by range (at)`,
  'create index live_event_by_transaction on live_event (organization, transaction_id)',
])
