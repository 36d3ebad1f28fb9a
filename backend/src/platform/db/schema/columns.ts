import type { ColumnType } from 'kysely'

export type Instant = ColumnType<Date, Date, Date>
export type Json<T> = ColumnType<T, string, string>
