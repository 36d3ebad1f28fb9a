/** Without empty values, in the order of names: then two sets are equal where their keys are. */
export type Labels = Readonly<Record<string, string>>

export const NAME = '__name__'
/** What describes a metric, and no longer its result once a value is computed. */
const METADATA: ReadonlySet<string> = new Set([NAME, '__type__', '__unit__'])

/** No text has it: it is half of a character. */
const SEPARATOR = '\ud800'

export function toLabels(labels: Labels): Labels {
  const names = Object.keys(labels)
  const isOrdered = names.every((name, index) => (index === 0 || (names[index - 1] ?? '') < name) && labels[name] !== '')
  return isOrdered ? labels : keepLabels(labels, (name) => labels[name] !== '', true)
}

/** The labels whose name passes; sorted where the order is not known. */
export function keepLabels(labels: Labels, isKept: (name: string) => boolean, isUnordered = false): Labels {
  const names = Object.keys(labels).filter(isKept)
  const kept: Record<string, string> = {}
  for (const name of isUnordered ? names.sort() : names) kept[name] = labels[name] ?? ''
  return kept
}

/** An empty value removes the label. */
export const withLabel = (labels: Labels, name: string, value: string): Labels => toLabels({ ...labels, [name]: value })

export const valueOf = (labels: Labels, name: string): string => (Object.hasOwn(labels, name) ? (labels[name] ?? '') : '')

export function withoutMetadata(labels: Labels): Labels {
  for (const name of METADATA) if (Object.hasOwn(labels, name)) return keepLabels(labels, (other) => !METADATA.has(other))
  return labels
}

export function keyOf(labels: Labels): string {
  let key = ''
  for (const name in labels) key += name + SEPARATOR + labels[name] + SEPARATOR
  return key
}

/** Which labels make a group, or match two series. */
export interface Grouping {
  names: readonly string[]
  /** All labels but these, and never the name. */
  without: boolean
}

export function groupLabels(labels: Labels, { names, without }: Grouping): Labels {
  if (without) return keepLabels(labels, (name) => name !== NAME && !names.includes(name))
  return keepLabels(labels, (name) => names.includes(name))
}

/** The key of the labels of a group, without the labels themselves: it is computed for each series. */
export function createGroupKey({ names, without }: Grouping): (labels: Labels) => string {
  const sorted = [...names].sort()
  if (!without) return (labels) => sorted.map((name) => valueOf(labels, name)).join(SEPARATOR)
  const left = new Set([...names, NAME])
  return (labels) => {
    let key = ''
    for (const name in labels) if (!left.has(name)) key += name + SEPARATOR + labels[name] + SEPARATOR
    return key
  }
}

/** As Prometheus prints a set of labels. */
export function showLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return `{${pairs.join(', ')}}`
}

export function compareLabels(a: Labels, b: Labels): number {
  const [left, right] = [Object.entries(a), Object.entries(b)]
  for (const [index, [name, value]] of left.entries()) {
    const other = right[index]
    if (!other) return 1
    if (name !== other[0]) return name < other[0] ? -1 : 1
    if (value !== other[1]) return value < other[1] ? -1 : 1
  }
  return left.length - right.length
}
