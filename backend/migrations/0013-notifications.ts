import { createTables } from './create-tables.ts'
import { queueTable } from './queue-table.ts'

/** Channels and the deliveries of notifications to them. */
export const notifications = createTables([
  // `config` is readable by every member; the secrets are encrypted. `last_error` describes the last failed delivery and how many
  // failed in a row; null after a success. `last_test` has its instant and whether it was delivered.
  `create table channel (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    name text not null,
    type text not null,
    enabled boolean not null,
    config jsonb not null,
    secrets_encrypted bytea not null,
    created_at timestamptz not null,
    last_error jsonb,
    last_test jsonb,
    primary key (organization, id)
  )`,

  // One delivery of an event to one channel (the lane); `id` is the same on every attempt. The key is the channel with the incident:
  // the steps of an incident arrive in their order.
  ...queueTable('notification_delivery', { references: 'references organization (number) on delete cascade', hasLanes: true }),

  // Until when further openings or ends of incidents wait for their channel, to be sent together.
  `create table notification_group (
    organization integer not null,
    channel_id uuid not null,
    type text not null,
    until timestamptz not null,
    primary key (organization, channel_id, type),
    foreign key (organization, channel_id) references channel (organization, id) on delete cascade
  )`,

  // The same to one browser (the lane).
  ...queueTable('push_delivery', { references: 'references organization (number) on delete cascade', hasLanes: true }),

  // Certificates whose expiry was notified.
  `create table notified_certificate (
    organization integer not null references organization (number) on delete cascade,
    monitor integer not null,
    expires_at bigint not null,
    primary key (organization, monitor, expires_at)
  )`,
])
