import type {
  ChannelConfig,
  PageLanguage,
  PageVisibility,
  PostImpact,
  PostStatus,
  PostType,
  StatusPageSection,
  StatusPageTemplate,
  SubscriberType,
} from '@vedette/shared'
import type { ColumnType, Generated } from 'kysely'
import type { DeletedColumns, Instant, Json, ManagedColumn } from './columns.ts'
import type { QueueTable } from './queue.ts'

type NullableInstant = ColumnType<Date | null, Date | null | undefined, Date | null>

interface StatusPageTable extends DeletedColumns {
  organization: number
  id: string
  name: string
  slug: string
  domain: string | null
  /** When its TXT record was found. */
  domain_verified_at: NullableInstant
  /** When its TXT record is looked up again; null: now. */
  domain_check_at: NullableInstant
  /** Since when the record of a proven domain is missing. */
  domain_missing_at: NullableInstant
  title: string
  description: string
  /** A data URI. */
  logo: string | null
  accent: string | null
  theme: 'auto' | 'light' | 'dark'
  time_zone: string
  language: PageLanguage
  /** Monitors by their ids on the wire. */
  sections: Json<StatusPageSection[]>
  visibility: PageVisibility
  password_hash: string | null
  link_version: Generated<number>
  indexed: boolean
  published: boolean
  templates: Json<StatusPageTemplate[]>
  created_at: Instant
  updated_at: Instant
  managed: ManagedColumn
}

interface StatusPageAddressTable {
  kind: 'slug' | 'domain'
  address: string
  organization: number
  page_id: string
}

interface StatusPostTable {
  organization: number
  id: string
  page_id: string
  type: PostType
  title: string
  impact: PostImpact
  status: PostStatus
  monitors: string[]
  incident_id: string | null
  /** Of an incident: when it was announced, or began. */
  starts_at: Instant
  ends_at: NullableInstant
  resolved_at: NullableInstant
  /** Subscribers were notified of it, and are by the times of a maintenance. */
  notifies: boolean
  /** When the times of a maintenance are examined next; null: never. */
  notice_at: NullableInstant
  created_at: Instant
  updated_at: Instant
}

interface StatusPostUpdateTable {
  organization: number
  post_id: string
  at: Instant
  id: string
  status: PostStatus
  text: string
}

interface StatusSubscriberTable {
  organization: number
  id: string
  page_id: string
  type: SubscriberType
  /** In lower case; null for the others. */
  email: string | null
  config: Json<ChannelConfig>
  secrets_encrypted: Buffer | null
  /** Of the endpoint of a browser, or of the URL that a visitor gave. */
  address_hash: ColumnType<Buffer | null, Buffer | null | undefined, never>
  /** The subscription of a browser at its push service. */
  browser_encrypted: ColumnType<Buffer | null, Buffer | null | undefined, never>
  /** Empty: all. */
  monitors: string[]
  /** When the person confirmed the subscription; unconfirmed ones get nothing. */
  confirmed_at: NullableInstant
  /** When it was last sent a link to this subscription. */
  mailed_at: NullableInstant
  created_at: Instant
}

export interface SubscriberJob {
  subscriber_id: string
  post_id: string
  update_id: string
}

export interface StatusPageTables {
  status_page: StatusPageTable
  status_page_address: StatusPageAddressTable
  status_post: StatusPostTable
  status_post_update: StatusPostUpdateTable
  status_subscriber: StatusSubscriberTable
  subscriber_mail: QueueTable<SubscriberJob>
  subscriber_webhook: QueueTable<SubscriberJob>
  subscriber_push: QueueTable<SubscriberJob>
}
