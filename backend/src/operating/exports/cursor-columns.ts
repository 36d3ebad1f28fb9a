import type { SampleKind } from './sources/source.ts'

/** What the names of the columns of each cursor begin with. */
export const CURSOR_COLUMNS = {
  hosts: 'cursor',
  entities: 'entity_cursor',
  series: 'series_cursor',
} as const satisfies Record<SampleKind, string>
