import { type Family, type FamilyLines, toLabels, toLine } from './format.ts'

const SERIES = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?$/s
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/gsy
const UNESCAPES: Readonly<Record<string, string>> = { n: '\n' }
/** Names that belong to Prometheus itself, and to this endpoint. */
const RESERVED = /^(up|scrape_.*|vedette_.*)$/
export const isReserved = (name: string): boolean => RESERVED.test(name)

/**
 * A host's own metric, named as in Prometheus: `queue_length{queue="mail"}`. Undefined where the name is none, or is taken. Its type is
 * not stated: hosts may differ in it. A label that the host's labels have too is called `exported_<name>`, as Prometheus does it.
 */
export function ownMetric(
  series: string,
  value: number,
  help: string,
  hostLabels: Readonly<Record<string, string>>,
  isTaken: (name: string) => boolean,
): { key: string; lines: FamilyLines } | undefined {
  const parsed = ownSeries(series, hostLabels, isTaken)
  if (!parsed) return undefined
  const { name, labels } = parsed
  const family: Family = { name, type: 'untyped', help: help === '' ? "A host's own metric." : help }
  const written = toLabels(labels)
  return { key: `${name}{${written}}`, lines: [family, toLine(family, written, value)] }
}

/** Its name and all its labels; undefined as for `ownMetric`. */
export function ownSeries(
  series: string,
  hostLabels: Readonly<Record<string, string>>,
  isTaken: (name: string) => boolean,
): { name: string; labels: Record<string, string> } | undefined {
  const [, name, list = ''] = SERIES.exec(series) ?? []
  const own = parseLabels(list)
  if (name === undefined || !own || isReserved(name) || isTaken(name)) return undefined
  const labels: Record<string, string> = { ...hostLabels }
  for (const [label, text] of own.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const free = Object.hasOwn(hostLabels, label) ? `exported_${label}` : label
    if (Object.hasOwn(labels, free)) return undefined
    labels[free] = text
  }
  return { name, labels }
}

/** Undefined where they are no labels. */
function parseLabels(list: string): [name: string, value: string][] | undefined {
  const labels: [string, string][] = []
  let end = 0
  for (const match of list.matchAll(LABEL)) {
    const [all, name = '', value = ''] = match
    // Names with two underscores are Prometheus' own.
    if (name.startsWith('__')) return undefined
    labels.push([name, value.replaceAll(/\\(.)/gs, (_, character: string) => UNESCAPES[character] ?? character)])
    end = match.index + all.length
  }
  return end === list.length ? labels : undefined
}
