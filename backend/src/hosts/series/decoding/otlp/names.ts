/**
 * Names of OTLP in the alphabet of Prometheus, as the OpenTelemetry compatibility specification says and as Prometheus 3.5 does with
 * `translation_strategy: UnderscoreEscapingWithSuffixes`.
 */
export type MetricKind = 'gauge' | 'sum' | 'monotonic sum' | 'histogram' | 'summary'

const UNITS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    d: 'days',
    h: 'hours',
    min: 'minutes',
    s: 'seconds',
    ms: 'milliseconds',
    us: 'microseconds',
    ns: 'nanoseconds',
    By: 'bytes',
    KiBy: 'kibibytes',
    MiBy: 'mebibytes',
    GiBy: 'gibibytes',
    TiBy: 'tibibytes',
    KBy: 'kilobytes',
    MBy: 'megabytes',
    GBy: 'gigabytes',
    TBy: 'terabytes',
    m: 'meters',
    V: 'volts',
    A: 'amperes',
    J: 'joules',
    W: 'watts',
    g: 'grams',
    Cel: 'celsius',
    Hz: 'hertz',
    '1': '',
    '%': 'percent',
  }),
)

const PER_UNITS: ReadonlyMap<string, string> = new Map(
  Object.entries({ s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week', mo: 'month', y: 'year' }),
)

/** The name of a metric without the suffix of a part; empty where nothing of it is left. */
export function metricNameOf(name: string, unit: string, kind: MetricKind): string {
  let tokens = name.split(/[^a-zA-Z0-9:]+/).filter((token) => token !== '')
  const { main, per } = unitWords(unit)
  const perWord = per.replace(/_$/, '')
  const mainWord = perWord === '' ? main : main.replace(/_$/, '')
  if (mainWord !== '' && !tokens.includes(main)) tokens.push(mainWord)
  if (perWord !== '' && perWord !== 'per') tokens.push(perWord)
  if (kind === 'monotonic sum') tokens = [...tokens.filter((token) => token !== 'total'), 'total']
  if (unit === '1' && kind === 'gauge') tokens = [...tokens.filter((token) => token !== 'ratio'), 'ratio']
  const joined = tokens.join('_')
  if (!/[^_]/.test(joined)) return ''
  return /^[0-9]/.test(joined) ? `_${joined}` : joined
}

/** `By/s` is `bytes_per_second`; what has no word stays as it is, without what no name may have. */
export function unitNameOf(unit: string): string {
  const { main, per } = unitWords(unit)
  return [main, per]
    .filter((word) => word !== '')
    .join('_')
    .replace(/_$/, '')
}

/** An annotation in braces is no unit. */
function unitWords(unit: string): { main: string; per: string } {
  const [main = '', per = ''] = splitOnce(unit).map((part) => (/[{}]/.test(part) ? '' : part.trim()))
  const perWord = PER_UNITS.get(per) ?? per
  return { main: cleanUnit(UNITS.get(main) ?? main), per: perWord === '' ? '' : cleanUnit(`per_${perWord}`) }
}

const splitOnce = (unit: string): string[] => {
  const slash = unit.indexOf('/')
  return slash < 0 ? [unit] : [unit.slice(0, slash), unit.slice(slash + 1)]
}

const cleanUnit = (unit: string): string => unit.replace(/[^a-zA-Z0-9:]+/gu, '_').replace(/^_/, '')

/** The name of an attribute as label; empty where nothing of it is left. Each character that no label may have becomes `_`. */
export function labelNameOf(key: string): string {
  const name = key.replace(/[^a-zA-Z0-9_]/gu, '_')
  if (!/[^_]/.test(name)) return ''
  if (/^[0-9]/.test(name)) return `key_${name}`
  return /^_[^_]/.test(name) ? `key${name}` : name
}

/** A number in decimals without an exponent, as the labels `le` and `quantile` have it. */
export function decimalOf(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  const text = String(value)
  const [, sign = '', first = '', rest = '', exponent = ''] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? []
  if (exponent === '') return text
  const power = Number(exponent)
  if (power > 0) return `${sign}${first}${rest.padEnd(power, '0')}`
  return `${sign}0.${'0'.repeat(-power - 1)}${first}${rest}`
}
