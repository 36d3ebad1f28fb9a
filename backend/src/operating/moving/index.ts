import { lstatSync } from 'node:fs'
import type { OldAddress } from './address.ts'
import { readSourceFiles, type SourceFiles } from './files.ts'
import { addressesOfGrafana } from './grafana-oncall/addresses.ts'
import { readGrafanaDump } from './grafana-oncall/dump/read-dump.ts'
import { readGrafanaOnCall } from './grafana-oncall/read.ts'
import type { Moved, People } from './model.ts'
import type { DutyEntry } from './compare.ts'
import { addressesOfOpsgenie } from './opsgenie/addresses.ts'
import { readOpsgenie } from './opsgenie/read.ts'
import { renderedByOpsgenie } from './opsgenie/rendered.ts'
import { addressesOfPagerDuty } from './pagerduty/addresses.ts'
import { readPagerDuty } from './pagerduty/read.ts'
import { renderedByPagerDuty } from './pagerduty/rendered.ts'
import { readSplunkOnCall } from './splunk-oncall/read.ts'
import { addressesOfSplunk } from './splunk-oncall/routing-keys.ts'

export { type AddressRow, addressTable, issuedIn } from './address.ts'
export { differencesOf, type DutyDifference, type DutyEntry } from './compare.ts'
export { SourceFault } from './files.ts'
export { nameOf, notHere, peopleOf, type PhoneChannel, type ReportRow, withPhones } from './model.ts'

type Read = (files: SourceFiles, people: People, nowMs: number) => Moved

/** The saved configuration of a tool: a folder, or the database of Grafana OnCall as one file. Throws SourceFault. */
export const readSource = (tool: string, path: string): SourceFiles =>
  tool === 'grafana-oncall' && lstatSync(path, { throwIfNoEntry: false })?.isFile()
    ? readGrafanaDump(path)
    : readSourceFiles(path)

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

/** By the name of the tool: the addresses that its senders use, by what they become. */
export const ADDRESSES: Readonly<Record<string, (files: SourceFiles) => OldAddress[]>> = {
  opsgenie: addressesOfOpsgenie,
  pagerduty: addressesOfPagerDuty,
  'grafana-oncall': addressesOfGrafana,
  'splunk-oncall': addressesOfSplunk,
}
