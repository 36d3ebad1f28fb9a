import { MAX_ALERT_LABEL_BYTES, MAX_SOURCE_LABELS } from '@vedette/shared'
import type { SenderRoute } from '../alert-source.ts'
import { type Json, listOf, numberOf, textOf, wordOf } from '../json.ts'
import type { Notes } from '../model.ts'

export interface ReadRoutes {
  routes: SenderRoute[]
  /** The chain of a route that takes all alerts, after which no other one counts. */
  all: string | undefined
}

/** The routes of an integration without the default one, in their order; what is not equal here is noted. Pure. */
export function readRoutes(routes: readonly Json[], chains: ReadonlyMap<string, string>, notes: Notes): ReadRoutes {
  const found: SenderRoute[] = []
  const sorted = routes.toSorted((one, other) => (numberOf(one['position']) ?? 0) - (numberOf(other['position']) ?? 0))
  for (const [index, route] of sorted.entries()) {
    const type = wordOf(route['routing_type']) || 'regex'
    const term = textOf(route['routing_regex'])
    const of = `route ${index + 1} (${type} ${JSON.stringify(term || labelsIn(route))})`
    const read = matchOf(type, term, route)
    if (read === undefined) {
      notes.losses.push(`${of} does not come: it is no comparison of labels; its alerts go on to the next ones`)
      continue
    }
    const policy = chains.get(textOf(route['escalation_chain_id']))
    if (policy === undefined) {
      notes.losses.push(`${of} does not come: it names no escalation chain that comes`)
      continue
    }
    if (read.labels === 'all') {
      if (index < sorted.length - 1) notes.remarks.push(`${of} takes all alerts: those after it never counted`)
      return { routes: found, all: policy }
    }
    if (read.difference !== '') notes.changes.push(`${of}: ${read.difference}`)
    found.push({ labels: read.labels, policy })
  }
  return { routes: found, all: undefined }
}

interface Match {
  labels: 'all' | Record<string, string>
  /** What is not the same here; empty: nothing. */
  difference: string
}

const labelsIn = (route: Json): Record<string, string> =>
  Object.fromEntries(listOf(route['labels']).map(({ key, value }) => [textOf(key), textOf(value)]))

/** Undefined: it cannot be said by labels. */
function matchOf(type: string, term: string, route: Json): Match | undefined {
  if (type === 'labels')
    return bounded(labelsIn(route), 'labels that its integration added there are those that the alert itself has here')
  if (type === 'jinja2') return jinjaMatch(term)
  if (type !== 'regex') return undefined
  if (['.*', '^.*$', '.+', ''].includes(term)) return term === '' ? undefined : { labels: 'all', difference: '' }
  const [, name, value] = REGEX.exec(term) ?? []
  return name === undefined || value === undefined
    ? undefined
    : bounded({ [name]: value }, 'it was found anywhere in the message there, and is a label of the alert here')
}

/** As `"severity": "critical"`, without signs that mean something else. */
const REGEX = /^\\?"([\w-]{1,256})\\?":\s?\\?"([\w :/@-]{1,256})\\?"$/

/** As `payload.labels.team == "shop"`, `payload["commonLabels"]["team"] == 'shop'` or `payload.alerts[0].labels.team == "shop"`. */
const COMPARISON =
  /^\(?\s*payload(?:\.|\[["'])(labels|commonLabels|groupLabels|alerts\[0\]\.labels)(?:["']\])?(?:\.([A-Za-z_]\w*)|\[["']([^"']{1,256})["']\]|\.get\(["']([^"']{1,256})["']\))\s*==\s*(?:"([^"\\]{1,256})"|'([^'\\]{1,256})')\s*\)?$/
const JINJA = /^\s*\{\{-?(.{1,2000}?)-?\}\}\s*$/s

function jinjaMatch(term: string): Match | undefined {
  const expression = JINJA.exec(term)?.[1]?.trim()
  if (expression === 'true' || expression === 'True') return { labels: 'all', difference: '' }
  const labels: Record<string, string> = {}
  let isOfGroup = false
  for (const part of expression?.split(/\s+and\s+/) ?? []) {
    const [whole, place, dotted, quoted, got, double, single] = COMPARISON.exec(part.trim()) ?? []
    const [name, value] = [dotted ?? quoted ?? got, double ?? single]
    if (whole === undefined || name === undefined || value === undefined || (labels[name] ?? value) !== value) return undefined
    labels[name] = value
    isOfGroup ||= place !== 'labels'
  }
  return bounded(labels, isOfGroup ? 'it compared what a group of alerts has there, and each alert by itself here' : '')
}

function bounded(labels: Record<string, string>, difference: string): Match | undefined {
  const all = Object.entries(labels)
  const isShort = all.every((pair) => pair.every((text) => text !== '' && Buffer.byteLength(text) <= MAX_ALERT_LABEL_BYTES))
  return all.length > 0 && all.length <= MAX_SOURCE_LABELS && isShort ? { labels, difference } : undefined
}
