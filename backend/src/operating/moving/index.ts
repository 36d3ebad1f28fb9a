import type { OldAddress } from './address.ts'
import type { SourceFiles } from './files.ts'
import { alertGroupsOfGrafana } from './grafana-oncall/alert-groups.ts'
import { addressesOfGrafana } from './grafana-oncall/addresses.ts'
import { readGrafanaOnCall } from './grafana-oncall/read.ts'
import type { PastAlert } from './history.ts'
import type { Moved, People } from './model.ts'
import type { DutyEntry } from './compare.ts'
import { addressesOfOpsgenie } from './opsgenie/addresses.ts'
import { alertsOfOpsgenie } from './opsgenie/alerts.ts'
import { readOpsgenie } from './opsgenie/read.ts'
import { renderedByOpsgenie } from './opsgenie/rendered.ts'
import { addressesOfPagerDuty } from './pagerduty/addresses.ts'
import { incidentsOfPagerDuty } from './pagerduty/incidents.ts'
import { readPagerDuty } from './pagerduty/read.ts'
import { renderedByPagerDuty } from './pagerduty/rendered.ts'
import { readSplunkOnCall } from './splunk-oncall/read.ts'

export { type AddressRow, addressTable, issuedIn } from './address.ts'
export { differencesOf, type DutyDifference, type DutyEntry } from './compare.ts'
export { type History, historyOf, partsOf, type PastAlert } from './history.ts'
export { readSourceFiles, SourceFault } from './files.ts'
export { nameOf, notHere, peopleOf, type PhoneChannel, type ReportRow, withPhones } from './model.ts'

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

/** By the name of the tool: the addresses that its senders use, by what they become. Splunk On-Call’s do not come. */
export const ADDRESSES: Readonly<Record<string, (files: SourceFiles) => OldAddress[]>> = {
  opsgenie: addressesOfOpsgenie,
  pagerduty: addressesOfPagerDuty,
  'grafana-oncall': addressesOfGrafana,
}

/** By the name of the tool: the alerts that it had. Those of Splunk On-Call name no sender that comes. */
export const HISTORIES: Readonly<Record<string, (files: SourceFiles) => PastAlert[]>> = {
  opsgenie: alertsOfOpsgenie,
  pagerduty: incidentsOfPagerDuty,
  'grafana-oncall': alertGroupsOfGrafana,
}
