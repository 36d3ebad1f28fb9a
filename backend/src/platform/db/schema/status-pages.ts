import type {
  PageLanguage,
  PageVisibility,
  PostImpact,
  PostStatus,
  PostType,
  StatusPageSection,
  StatusPageTemplate,
} from '@vedette/shared'
import type { ColumnType, Generated } from 'kysely'
import type { Instant, Json } from './columns.ts'

type NullableInstant = ColumnType<Date | null, Date | null | undefined, Date | null>

interface StatusPageTable {
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

export interface StatusPageTables {
  status_page: StatusPageTable
  status_page_address: StatusPageAddressTable
  status_post: StatusPostTable
  status_post_update: StatusPostUpdateTable
}
