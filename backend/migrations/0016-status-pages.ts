import { createTables } from './create-tables.ts'
import { queueTable } from './queue-table.ts'

/** Status pages, their posts and subscribers. */
export const statusPages = createTables([
  // `link_version` is part of the key of the address of a page with the visibility `link`. `domain_verified_at` is null until the TXT
  // record was found. The record is looked up again at `domain_check_at`, at once where it is null; it was first missing at
  // `domain_missing_at`.
  `create table status_page (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    name text not null,
    slug text not null,
    domain text,
    domain_verified_at timestamptz,
    domain_check_at timestamptz,
    domain_missing_at timestamptz,
    title text not null,
    description text not null,
    logo text,
    accent text,
    theme text not null check (theme in ('auto', 'light', 'dark')),
    time_zone text not null,
    language text not null,
    sections jsonb not null,
    visibility text not null check (visibility in ('public', 'password', 'link')),
    password_hash text,
    link_version integer not null default 1,
    indexed boolean not null,
    published boolean not null,
    templates jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (organization, id)
  )`,

  // Global: each address leads to one page. A domain is here once it is proven.
  `create table status_page_address (
    kind text not null check (kind in ('slug', 'domain')),
    address text not null,
    organization integer not null references organization (number) on delete cascade,
    page_id uuid not null,
    primary key (kind, address)
  )`,
  'create index status_page_address_by_page on status_page_address (organization, page_id)',

  // `monitors` are those that it affects. A maintenance is under way between starts_at and ends_at; resolved_at ends it early.
  `create table status_post (
    organization integer not null,
    id uuid not null,
    page_id uuid not null,
    type text not null check (type in ('incident', 'maintenance')),
    title text not null,
    impact text not null check (impact in ('none', 'minor', 'major', 'critical')),
    status text not null,
    monitors uuid[] not null,
    incident_id uuid,
    starts_at timestamptz not null,
    ends_at timestamptz,
    resolved_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (organization, id),
    foreign key (organization, page_id) references status_page (organization, id) on delete cascade
  )`,
  'create index status_post_by_page on status_post (organization, page_id, starts_at)',

  `create table status_post_update (
    organization integer not null,
    post_id uuid not null,
    at timestamptz not null,
    id uuid not null,
    status text not null,
    text text not null,
    primary key (organization, post_id, at, id),
    foreign key (organization, post_id) references status_post (organization, id) on delete cascade
  )`,

  // A person by e-mail, or a webhook that a member added. It gets posts about one of `monitors`, of all where that is empty, and posts
  // about the whole page.
  `create table status_subscriber (
    organization integer not null,
    id uuid not null,
    page_id uuid not null,
    type text not null check (type in ('email', 'webhook', 'slack', 'teams')),
    email text,
    config jsonb not null,
    secrets_encrypted bytea,
    monitors uuid[] not null,
    confirmed_at timestamptz,
    -- When it was last mailed a link to this subscription.
    mailed_at timestamptz,
    created_at timestamptz not null,
    primary key (organization, id),
    unique (organization, page_id, email),
    foreign key (organization, page_id) references status_page (organization, id) on delete cascade
  )`,
  'create index status_subscriber_unconfirmed on status_subscriber (created_at) where confirmed_at is null',

  // One job for each step of a post and each subscriber: the id follows from both.
  ...queueTable('subscriber_mail', { references: 'references organization (number) on delete cascade' }),
  ...queueTable('subscriber_webhook', { references: 'references organization (number) on delete cascade' }),
])
