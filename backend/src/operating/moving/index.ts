import type { SourceFiles } from './files.ts'
import { readGrafanaOnCall } from './grafana-oncall/read.ts'
import type { Moved, People } from './model.ts'
import { readOpsgenie } from './opsgenie/read.ts'
import { readPagerDuty } from './pagerduty/read.ts'
import { readSplunkOnCall } from './splunk-oncall/read.ts'

export { differencesOf, type DutyDifference, type DutyEntry } from './compare.ts'
export { readSourceFiles, SourceFault } from './files.ts'
export { peopleOf, type ReportRow } from './model.ts'
export { RENDERED } from './rendered.ts'

type Read = (files: SourceFiles, people: People, nowMs: number) => Moved

/** By the name of the tool: what its files become here. */
export const READERS: Readonly<Record<string, Read>> = {
  opsgenie: readOpsgenie,
  pagerduty: readPagerDuty,
  'grafana-oncall': readGrafanaOnCall,
  'splunk-oncall': readSplunkOnCall,
}
