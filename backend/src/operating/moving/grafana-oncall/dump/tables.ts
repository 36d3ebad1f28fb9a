/** The tables of Grafana OnCall's database that are read, and of each the columns. */
export const TABLES: Readonly<Record<string, readonly string[]>> = {
  user_management_organization: ['id', 'deleted_at'],
  user_management_user: [
    'id',
    'public_primary_key',
    'organization_id',
    'username',
    'email',
    'is_active',
    '_verified_phone_number',
  ],
  base_usernotificationpolicy: ['public_primary_key', 'user_id', 'step', 'notify_by'],
  schedules_oncallschedule: [
    'id',
    'public_primary_key',
    'organization_id',
    'name',
    'cached_ical_file_primary',
    'cached_ical_file_overrides',
  ],
  schedules_oncallscheduleical: ['oncallschedule_ptr_id', 'ical_url_primary', 'ical_url_overrides'],
  schedules_oncallschedulecalendar: ['oncallschedule_ptr_id', 'time_zone', 'ical_url_overrides'],
  schedules_oncallscheduleweb: ['oncallschedule_ptr_id', 'time_zone'],
  schedules_oncallschedulecalendar_custom_on_call_shifts: ['oncallschedulecalendar_id', 'customoncallshift_id'],
  schedules_customoncallshift: [
    'id',
    'public_primary_key',
    'schedule_id',
    'name',
    'time_zone',
    'rolling_users',
    'start_rotation_from_user_index',
    'type',
    'start',
    'rotation_start',
    'duration',
    'frequency',
    'priority_level',
    'interval',
    'until',
    'week_start',
    'by_day',
    'by_month',
    'by_monthday',
  ],
  schedules_customoncallshift_users: ['customoncallshift_id', 'user_id'],
  alerts_escalationchain: ['id', 'public_primary_key', 'organization_id', 'name'],
  alerts_escalationpolicy: [
    'id',
    'public_primary_key',
    'escalation_chain_id',
    'order',
    'step',
    'wait_delay',
    'notify_schedule_id',
  ],
  alerts_escalationpolicy_notify_to_users_queue: ['escalationpolicy_id', 'user_id'],
  alerts_alertreceivechannel: [
    'id',
    'public_primary_key',
    'organization_id',
    'integration',
    'verbal_name',
    'token',
    'deleted_at',
  ],
  alerts_channelfilter: [
    'public_primary_key',
    'alert_receive_channel_id',
    'escalation_chain_id',
    'filtering_term',
    'filtering_term_type',
    'filtering_labels',
    'is_default',
    'order',
  ],
}

export const MAX_DUMP_ROWS = 100_000
export const MAX_CELL_LENGTH = 8_388_608

/** Values as a database has them: SQLite has numbers, a text dump of PostgreSQL texts. */
export type DumpRow = Readonly<Record<string, string | number | null>>

export interface Dump {
  rows: ReadonlyMap<string, readonly DumpRow[]>
  /** Columns of these tables that are not read, as `table.column`. */
  leftOut: string[]
}

/** What of the tables is not there, as `table` or `table.column`. Pure. */
export const missingOf = (found: ReadonlyMap<string, readonly string[]>): string[] =>
  Object.entries(TABLES).flatMap(([table, columns]) => {
    const there = found.get(table)
    return there ? columns.filter((column) => !there.includes(column)).map((column) => `${table}.${column}`) : [table]
  })

/** Columns of the tables that are read and that are not. Pure. */
export const leftOutOf = (found: ReadonlyMap<string, readonly string[]>): string[] =>
  [...found].flatMap(([table, columns]) =>
    columns.filter((column) => !TABLES[table]?.includes(column)).map((column) => `${table}.${column}`),
  )
