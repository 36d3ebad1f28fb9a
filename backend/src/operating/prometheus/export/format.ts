export type Format = 'text' | 'openmetrics'

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

/** A range of `Accept` and how closely it names a format; undefined where it does not. */
const MATCHES: Readonly<Record<Format, (range: string, version: string | undefined) => number | undefined>> = {
  text: (range, version) => {
    if (range === 'text/plain') return version === undefined || version === '0.0.4' ? 3 : undefined
    return { 'text/*': 2, '*/*': 1 }[range]
  },
  openmetrics: (range, version) => {
    if (range === 'application/openmetrics-text') return version === undefined || version === '1.0.0' ? 3 : undefined
    return { 'application/*': 2, '*/*': 1 }[range]
  },
}

/** The format with the higher weight; of equal ones, and where neither is accepted, text, which every reader knows. */
export function chooseFormat(accept: string | undefined): Format {
  const ranges = (accept ?? '').toLowerCase().split(',').map(parseRange)
  return weightOf('openmetrics', ranges) > weightOf('text', ranges) ? 'openmetrics' : 'text'
}

interface MediaRange {
  range: string
  version: string | undefined
  weight: number
}

function parseRange(text: string): MediaRange {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim())
  const valueOf = (name: string) =>
    parameters
      .find((parameter) => parameter.startsWith(`${name}=`))
      ?.slice(name.length + 1)
      .replaceAll('"', '')
  const weight = Number(valueOf('q') ?? 1)
  return { range, version: valueOf('version'), weight: weight >= 0 && weight <= 1 ? weight : 0 }
}

/** That of the range which names the format most closely; 0 without one. */
function weightOf(format: Format, ranges: readonly MediaRange[]): number {
  let [closest, weight] = [0, 0]
  for (const one of ranges) {
    const closeness = MATCHES[format](one.range, one.version) ?? 0
    if (closeness === 0 || closeness < closest) continue
    weight = closeness === closest ? Math.max(weight, one.weight) : one.weight
    closest = closeness
  }
  return weight
}

/** Samples of one name. */
export interface Family {
  name: string
  /** `info`: its value is always 1, and its labels are what it says. `untyped`: of a host's own metrics. */
  type: 'gauge' | 'info' | 'untyped'
  help: string
}

/** Escapes what ends a value; every other character is allowed in it. */
const SPECIAL = /[\\"\n]/g
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }
const escape = (text: string): string => text.replaceAll(SPECIAL, (character) => ESCAPES[character] as string)

/** `instance="web-1",device="eth0"`. The names must be names of labels, each once. */
export const toLabels = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escape(value)}"`)
    .join(',')

export const toLine = ({ name }: Pick<Family, 'name'>, labels: string, value: number): string => `${name}{${labels}} ${value}\n`

/** Units that OpenMetrics states: those at the end of a name. */
const UNIT = /_(bytes|seconds|celsius|volts|watts|percent)$/

function toHead({ name, type, help }: Family, format: Format): string {
  if (format === 'text') {
    const text = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
    return `# HELP ${name} ${text}\n# TYPE ${name} ${type === 'info' ? 'gauge' : type}\n`
  }
  const family = type === 'info' ? name.replace(/_info$/, '') : name
  const unit = UNIT.exec(name)?.[1]
  return [
    `# TYPE ${family} ${type === 'untyped' ? 'unknown' : type}\n`,
    unit === undefined ? '' : `# UNIT ${family} ${unit}\n`,
    `# HELP ${family} ${escape(help)}\n`,
  ].join('')
}

/** Some lines of one family. */
export type FamilyLines = readonly [family: Family, lines: string]

/** Collects lines by family: a reader requires all lines of one in one place. */
export class Exposition {
  readonly #families = new Map<string, { family: Family; lines: string[] }>()

  /** The first help of a name stays. */
  add([family, lines]: FamilyLines): void {
    const known = this.#families.get(family.name)
    if (known) known.lines.push(lines)
    else this.#families.set(family.name, { family, lines: [lines] })
  }

  toText(format: Format): string {
    const parts: string[] = []
    for (const { family, lines } of this.#families.values()) parts.push(toHead(family, format), ...lines)
    if (format === 'openmetrics') parts.push('# EOF\n')
    return parts.join('')
  }
}
