import { createTables } from './create-tables.ts'

/** Whether a series is flapping is read of each alert that opens: without it, all incidents of the last hour are. */
export const incidentsOfSeries = createTables([
  'create index incident_by_series on incident (organization, series, at) where series is not null',
])
