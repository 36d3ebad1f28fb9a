import { INCIDENT_STATUSES, SEVERITIES, type Severity } from '@vedette/shared/tables'
import { type ListSearch, listSearch, textOf } from '../../lib/list-search.ts'
import { type Period, PERIODS } from '../../lib/range.ts'

/** The parameters of the list of incidents in the URL, without defaults. */
export interface IncidentSearch extends ListSearch {
  severity?: Severity
  /** Id of a monitor or server. */
  target?: string
  /** Only incidents that were open in the last time of this length. */
  range?: Period
}

export function incidentSearch(search: Record<string, unknown>): IncidentSearch {
  const severity = SEVERITIES.find((each) => each === search['severity'])
  const range = PERIODS.find((each) => each === search['range'])
  const target = textOf(search['target'])
  return {
    ...listSearch(search, INCIDENT_STATUSES, []),
    ...(severity === undefined ? {} : { severity }),
    ...(target === undefined ? {} : { target }),
    ...(range === undefined ? {} : { range }),
  }
}
