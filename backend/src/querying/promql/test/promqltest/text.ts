import { planQuery } from '../../index.ts'

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
}

/** Of the test language: `1h30m`, or seconds. In ms. */
export function parseDuration(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1
  const own = text.replace(/^-/, '')
  if (/^[\d.]+(?:e\d+)?$/.test(own)) return sign * Number(own) * 1_000
  let ms = 0
  for (const [, count, unit] of own.matchAll(/([\d.]+)(ms|[smhdwy])/g)) ms += Number(count) * (UNITS[unit as string] as number)
  return sign * ms
}

/** Undefined: no sample. */
export type Point = number | 'stale' | undefined

export const numberOf = (text: string): number =>
  /^[+-]?inf$/i.test(text) ? (text.startsWith('-') ? -Infinity : Infinity) : Number(text === 'NaN' ? Number.NaN : text)

/** `1 2+3x4 _x5 stale`; undefined where there is what is not read, as native histograms. */
export function pointsOf(text: string): Point[] | undefined {
  if (/\{\{|@/.test(text)) return undefined
  const points: Point[] = []
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const [, base = '', step, times] =
      /^([+-]?(?:inf|nan|stale|_|[\d.]+(?:e[+-]?\d+)?|0x[\da-f]+))(?:([+-](?:inf|nan|[\d.]+(?:e[+-]?\d+)?)))?(?:x(\d+))?$/i.exec(
        word,
      ) ?? []
    if (base === '') return undefined
    const count = times === undefined ? 1 : Number(times) + (base === '_' ? 0 : 1)
    for (let index = 0; index < count; index++)
      points.push(
        base === '_'
          ? undefined
          : base === 'stale'
            ? 'stale'
            : numberOf(base) + (step === undefined ? 0 : index * numberOf(step)),
      )
  }
  return points
}

/** The labels at the beginning of a line, and what follows. */
export function metricOf(line: string): { labels: Record<string, string>; rest: string } {
  let [at, isQuoted] = [0, '']
  let depth = 0
  for (; at < line.length; at++) {
    const sign = line[at] as string
    if (isQuoted !== '') {
      if (sign === '\\' && isQuoted !== '`') at++
      else if (sign === isQuoted) isQuoted = ''
    } else if ('"\'`'.includes(sign)) isQuoted = sign
    else if (sign === '{') depth++
    else if (sign === '}') depth--
    else if (depth === 0 && /\s/.test(sign)) break
  }
  const text = line.slice(0, at)
  const rest = line.slice(at).trim()
  if (/^\{\s*\}$/.test(text)) return { labels: {}, rest }
  // An empty matcher would refuse what has no name.
  const { selections } = planQuery(text.replace(/\}$/, /[{,]\s*\}$/.test(text) ? '}' : ',}'), {
    startMs: 0,
    endMs: 0,
    stepMs: 0,
    lookbackMs: 1,
  })
  return { labels: Object.fromEntries((selections[0]?.matchers ?? []).map(({ label, value }) => [label, value])), rest }
}

/** The same for the same labels. */
export const keyOf = (labels: Record<string, string>): string =>
  JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)))
