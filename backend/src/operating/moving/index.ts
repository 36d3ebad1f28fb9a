import type { SourceFiles } from './files.ts'
import { readGrafanaOnCall } from './grafana-oncall/read.ts'
import type { Moved, People } from './model.ts'
import type { DutyEntry } from './compare.ts'
import { readOpsgenie } from './opsgenie/read.ts'
import { renderedByOpsgenie } from './opsgenie/rendered.ts'
import { readPagerDuty } from './pagerduty/read.ts'
import { renderedByPagerDuty } from './pagerduty/rendered.ts'
import { readSplunkOnCall } from './splunk-oncall/read.ts'

export { differencesOf, type DutyDifference, type DutyEntry } from './compare.ts'
export { readSourceFiles, SourceFault } from './files.ts'
export { notHere, peopleOf, type ReportRow } from './model.ts'

type Read = (files: SourceFiles, people: People, nowMs: number) => Moved

/** By the name of the tool: what its files become here. */
export const READERS: Readonly<Record<string, Read>> = {
  opsgenie: readOpsgenie,
  pagerduty: readPagerDuty,
  'grafana-oncall': readGrafanaOnCall,
  'splunk-oncall': readSplunkOnCall,
}

/** By the name of the tool: who is on duty in its schedules as it says itself; schedules that were not saved are missing. */
export const RENDERED: Readonly<Record<string, (files: SourceFiles) => Map<string, DutyEntry[]>>> = {
  opsgenie: renderedByOpsgenie,
  pagerduty: renderedByPagerDuty,
}
