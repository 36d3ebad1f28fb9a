import type { CheckKindSpec, MapSent } from './kinds/index.ts'

/** The given options with the defaults of the kind. Pure. */
export function withOptionDefaults(
  kind: CheckKindSpec | undefined,
  given: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const defaults = Object.entries(kind?.options ?? {}).flatMap(([name, spec]): [string, unknown][] =>
    'default' in spec ? [[name, spec.default]] : [],
  )
  return { ...Object.fromEntries(defaults), ...given }
}

/** The options with each text that checks send replaced; a path begins with the name of the option. Pure. */
export function mapSentOptions(
  kind: CheckKindSpec | undefined,
  options: Readonly<Record<string, unknown>>,
  map: MapSent,
): Record<string, unknown> {
  const mapped = Object.entries(options).map(([name, value]): [string, unknown] => {
    const sent = kind?.options[name]?.sent
    if (sent === undefined) return [name, value]
    if (sent === true) return [name, typeof value === 'string' ? map(value, name) : value]
    return [name, sent(value, (text, path) => map(text, `${name}.${path}`))]
  })
  return Object.fromEntries(mapped)
}

/** Each text of the options that checks send, with its path; an empty one is no secret and left out. Pure. */
export function sentTexts(
  kind: CheckKindSpec | undefined,
  options: Readonly<Record<string, unknown>>,
): { path: string; text: string }[] {
  const texts: { path: string; text: string }[] = []
  mapSentOptions(kind, options, (text, path) => {
    if (text !== '') texts.push({ path, text })
    return text
  })
  return texts
}

/** Those options that have texts which checks send, and the others. Pure. */
export function splitSentOptions(
  kind: CheckKindSpec | undefined,
  options: Readonly<Record<string, unknown>>,
): { sent: Record<string, unknown>; others: Record<string, unknown> } {
  const { sent = [], others = [] } = Object.groupBy(Object.entries(options), ([name, value]) =>
    sentTexts(kind, { [name]: value }).length > 0 ? 'sent' : 'others',
  )
  return { sent: Object.fromEntries(sent), others: Object.fromEntries(others) }
}
