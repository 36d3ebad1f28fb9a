import { lstatSync } from 'node:fs'
import { readSourceFiles, type SourceFiles } from './files.ts'
import { grafanaOnCall } from './grafana-oncall/tool.ts'
import { opsgenie } from './opsgenie/tool.ts'
import { pagerDuty } from './pagerduty/tool.ts'
import { splunkOnCall } from './splunk-oncall/tool.ts'
import type { Tool } from './tool.ts'

export { type AddressRow, addressTable, issuedIn } from './address.ts'
export { differencesOf, type DutyDifference, type DutyEntry, savedRange } from './compare.ts'
export { fetchInto, type Fetched } from './fetch/fetch.ts'
export { type History, historyOf, partsOf, type PastAlert } from './history.ts'
export { SourceFault } from './files.ts'
export { nameOf, notHere, peopleOf, type PhoneChannel, type ReportRow, withPhones } from './model.ts'
export type { Tool } from './tool.ts'

/** By name. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  opsgenie,
  pagerduty: pagerDuty,
  'grafana-oncall': grafanaOnCall,
  'splunk-oncall': splunkOnCall,
}

/** What is saved of a tool: a folder, or its database as one file where the tool has one. Throws SourceFault. */
export const readSource = ({ readDatabase }: Tool, path: string): SourceFiles =>
  readDatabase && lstatSync(path, { throwIfNoEntry: false })?.isFile() ? readDatabase(path) : readSourceFiles(path)
