import { createTables } from './create-tables.ts'

/**
 * What is sent by the times of a maintenance. `notifies`: its subscribers were notified of it; posts of an older version send nothing by
 * their times. `notice_at`: when it is examined next; null: never.
 */
export const maintenanceNotices = createTables([
  `alter table status_post
    add column notifies boolean not null default false,
    add column notice_at timestamptz`,
  'create index status_post_by_notice on status_post (notice_at) where notice_at is not null',
])
