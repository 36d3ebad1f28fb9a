import { readFeed } from './feed.ts'
import type { Level, PageComponent, PageIncident, Reading } from './reading.ts'

/** Reads documents of status pages. Each reader is undefined for a document that is not in its form, and passes over what it does not know. */

type Fields = Readonly<Record<string, unknown>>
type Reader = (document: unknown) => Reading | undefined

/** More than any page has. */
const MAX_ITEMS = 1_000
const MAX_NAME_LENGTH = 300

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.slice(0, MAX_ITEMS).filter(isFields) : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MAX_NAME_LENGTH) : '')
const timeOf = (value: unknown): string | undefined => {
  const ms = typeof value === 'number' ? value * 1_000 : Date.parse(textOf(value))
  return Number.isFinite(ms) && Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : undefined
}

const levelIn = (table: Readonly<Record<string, Level>>, value: unknown): Level | undefined => {
  const key = textOf(value)
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '')
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** Of components, by their names without blanks. One that is not here is unknown, and no fault. */
const COMPONENT: Readonly<Record<string, Level>> = {
  operational: 'operational',
  ok: 'operational',
  up: 'operational',
  notice: 'operational',
  undermaintenance: 'maintenance',
  degraded: 'degraded',
  degradedperformance: 'degraded',
  partiallydegraded: 'degraded',
  disrupted: 'degraded',
  hasissues: 'degraded',
  partialoutage: 'partial_outage',
  minoroutage: 'partial_outage',
  majoroutage: 'major_outage',
  fulloutage: 'major_outage',
  down: 'major_outage',
}
/** The indicator of Statuspage for a page, and the impact of its incidents. */
const IMPACT: Readonly<Record<string, Level>> = {
  none: 'operational',
  maintenance: 'maintenance',
  minor: 'degraded',
  major: 'partial_outage',
  critical: 'major_outage',
}

function componentsOf(list: unknown, field: string): PageComponent[] {
  return listOf(list).flatMap((one) => {
    const level = levelIn(COMPONENT, one[field])
    const name = textOf(one['name'])
    return level === undefined || name === '' ? [] : [{ name, level }]
  })
}

/** Statuspage, pages of ours, and those that take its form: /api/v2/summary.json. */
const statuspage: Reader = (document) => {
  const { page, status, components, incidents, scheduled_maintenances: maintenances } = fieldsOf(document)
  if (!isFields(status) || !Array.isArray(components)) return undefined
  const overall = levelIn(IMPACT, status['indicator'])
  if (overall === undefined) return undefined
  const open = listOf(incidents).map((one) => incidentOf(one, levelIn(IMPACT, one['impact']) ?? 'degraded'))
  const maintained = listOf(maintenances)
    .filter((one) => /^(?:in_progress|verifying)$/.test(textOf(one['status'])))
    .map((one) => incidentOf(one, 'maintenance'))
  return {
    components: componentsOf(components, 'status'),
    incidents: [...open, ...maintained],
    isComplete: true,
    overall,
    updatedAt: timeOf(fieldsOf(page)['updated_at']),
  }
}

const incidentOf = (one: Fields, level: Level): PageIncident => ({
  name: textOf(one['name']) || textOf(one['title']),
  level,
  updatedAt: timeOf(one['updated_at'] ?? one['started'] ?? one['start'] ?? one['createdAt']),
  ...(Array.isArray(one['components']) && { components: listOf(one['components']).map(({ name }) => textOf(name)) }),
})

/** Instatus: /summary.json, whose components are in a document of their own. */
const instatus: Reader = (document) => {
  const { page, activeIncidents, activeMaintenances } = fieldsOf(document)
  const overall = levelIn(COMPONENT, fieldsOf(page)['status'])
  if (overall === undefined) return undefined
  const incidents = [
    ...listOf(activeIncidents).map((one) => incidentOf(one, levelIn(COMPONENT, one['impact']) ?? 'degraded')),
    ...listOf(activeMaintenances)
      .filter((one) => textOf(one['status']) === 'INPROGRESS')
      .map((one) => incidentOf(one, 'maintenance')),
  ]
  return { components: [], incidents, isComplete: true, overall, updatedAt: incidents[0]?.updatedAt }
}

/** Instatus: /v2/components.json; Sorry: /api/v1/components. */
const componentList: Reader = (document) => {
  const { components } = fieldsOf(document)
  const [first] = listOf(components)
  if (!first) return undefined
  const found = componentsOf(components, 'state' in first ? 'state' : 'status')
  return found.length > 0 ? { components: found, incidents: [], isComplete: true } : undefined
}

/** cState: /index.json. */
const cState: Reader = (document) => {
  const { systems, summaryStatus } = fieldsOf(document)
  const overall = levelIn(COMPONENT, summaryStatus)
  if (!Array.isArray(systems) || overall === undefined) return undefined
  const incidents = listOf(systems).flatMap((system) =>
    listOf(system['unresolvedIssues']).map((one) => ({
      ...incidentOf(one, levelIn(COMPONENT, one['severity']) ?? 'degraded'),
      components: [textOf(system['name'])],
    })),
  )
  const components = componentsOf(systems, 'status')
  return { components, incidents, isComplete: true, overall, updatedAt: incidents[0]?.updatedAt }
}

const GOOGLE: Readonly<Record<string, Level>> = {
  serviceinformation: 'operational',
  servicedisruption: 'partial_outage',
  serviceoutage: 'major_outage',
}

/** Google Cloud and Workspace: incidents.json, with closed ones. */
const google: Reader = (document) => {
  const list = listOf(document)
  if (list.length === 0 || !list.every((one) => 'external_desc' in one && 'begin' in one)) return undefined
  const incidents = list
    .filter(({ end }) => textOf(end) === '')
    .map((one) => ({
      name: textOf(one['external_desc']).split('\n', 1)[0] ?? '',
      level: levelIn(GOOGLE, one['status_impact']) ?? 'degraded',
      updatedAt: timeOf(one['modified']),
      components: [...listOf(one['affected_products']).map(({ title }) => textOf(title)), textOf(one['service_name'])],
    }))
  return { components: [], incidents, isComplete: false, updatedAt: incidents[0]?.updatedAt }
}

const SLACK: Readonly<Record<string, Level>> = {
  notice: 'operational',
  maintenance: 'maintenance',
  incident: 'degraded',
  outage: 'major_outage',
}

/** Slack: /api/v2.0.0/current. */
const slack: Reader = (document) => {
  const { status, active_incidents: active, date_updated: updated } = fieldsOf(document)
  if (!Array.isArray(active) || !/^(?:ok|active)$/.test(textOf(status))) return undefined
  const incidents = listOf(active).map((one) => ({
    name: textOf(one['title']),
    level: levelIn(SLACK, one['type']) ?? 'degraded',
    updatedAt: timeOf(one['date_updated']),
    components: Array.isArray(one['services']) ? one['services'].slice(0, MAX_ITEMS).map(textOf) : [],
  }))
  return { components: [], incidents, isComplete: false, updatedAt: timeOf(updated) }
}

const READERS: readonly Reader[] = [statuspage, instatus, componentList, cState, google, slack]

/** Undefined for a document in none of the forms. `nowMs`: which items of a feed are of today. Pure. */
export function readDocument(text: string, nowMs: number): Reading | undefined {
  const start = text.trimStart()[0]
  if (start === '<') return readFeed(text, nowMs)
  if (start !== '{' && start !== '[') return undefined
  try {
    const document: unknown = JSON.parse(text)
    for (const read of READERS) {
      const reading = read(document)
      if (reading) return reading
    }
  } catch {
    // No JSON, or nested beyond any page.
  }
  return undefined
}
