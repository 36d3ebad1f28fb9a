import type { ErrorDetail } from '../../../wire/errors.ts'
import { CHECK_METHODS, type CheckMethod } from '../limits.ts'
import { originOf } from '../../../wire/kept-secrets.ts'
import { targetFault } from '../target-fault.ts'
import type { KindInput, MapSent, SentDefinition } from './kind.ts'

export const MAX_STEPS = 10
export const MAX_CAPTURES = 10
const MAX_NAME_LENGTH = 60
const MAX_URL_LENGTH = 2_048
const MAX_PROPERTY_LENGTH = 512

/** A value of a response, which later steps contain as `{{name}}`. */
export interface StepCapture {
  name: string
  /** RFC 9535; the first value that it selects. */
  json_path?: string
  /** The name of a header; of `set-cookie` the name and value of the first cookie. */
  header?: string
}

/** One request of a check. */
export interface Step {
  name: string
  /** Relative to the URL of the monitor, or whole. */
  url: string
  method?: CheckMethod
  headers?: Record<string, string>
  body?: string
  /** Without them the status must be 200–399. */
  assertions?: { type: string; operator: string; property?: string; value?: string | number }[]
  captures?: StepCapture[]
}

const FIELDS: ReadonlySet<string> = new Set(['name', 'url', 'method', 'headers', 'body', 'assertions', 'captures'])
const SECRET_HEADER = /auth|cookie|token|key|secret|session|passw/i

/** The steps of valid options; none of others. */
export const stepsIn = (options: Readonly<Record<string, unknown>>): Step[] =>
  Array.isArray(options['steps']) ? (options['steps'] as Step[]) : []

/**
 * The origin of each step, as one step can send what another one captured; and by the name of the credential those whose request
 * contains it.
 */
export function stepDestinations({ url: base, options }: SentDefinition, name: string): string[] {
  const given = options['steps']
  return (Array.isArray(given) ? given.filter(isObject) : []).flatMap(({ url, headers, body }) => {
    const filled = typeof url === 'string' ? fillIn(url, (placeholder) => placeholder) : ''
    const origin = originOf(URL.parse(filled, base)?.href ?? '')
    const isSent = placeholdersIn(JSON.stringify([url, headers, body])).includes(name)
    return isSent ? [origin, `${name} to ${origin}`] : [origin]
  })
}

/** Headers and bodies. */
export function mapSentOfSteps(value: unknown, map: MapSent): unknown {
  if (!Array.isArray(value)) return value
  return value.map((step: unknown, index) => {
    if (!isObject(step)) return step
    const { headers, body } = step
    const mapped = (text: unknown, path: string) => (typeof text === 'string' ? map(text, `${index}.${path}`) : text)
    const mappedHeaders = (given: Fields) =>
      Object.fromEntries(Object.entries(given).map(([name, text]) => [name, mapped(text, `headers.${name}`)]))
    return {
      ...step,
      ...(isObject(headers) && { headers: mappedHeaders(headers) }),
      ...(body !== undefined && { body: mapped(body, 'body') }),
    }
  })
}

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= most

export function stepFaults(input: KindInput): ErrorDetail[] {
  const given = input.options['steps']
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_STEPS)
    return [{ path: 'options.steps', message: `must be a list of 1 to ${MAX_STEPS} steps` }]
  const known = new Set(Object.keys(input.credentials))
  return given.flatMap((step: unknown, index) => {
    const path = `options.steps.${index}`
    if (!isObject(step)) return [{ path, message: 'must be an object with a name and a url' }]
    const faults = faultsOfStep(step, input, known).map((fault) => ({ ...fault, path: `${path}.${fault.path}` }))
    for (const { name } of capturesOf(step)) if (typeof name === 'string') known.add(name)
    return faults
  })
}

const capturesOf = ({ captures }: Fields): Fields[] => (Array.isArray(captures) ? captures.filter(isObject) : [])

function faultsOfStep(
  step: Fields,
  { url: base, headersFaults, assertionsFaults }: KindInput,
  known: ReadonlySet<string>,
): ErrorDetail[] {
  const { name, url, method = 'GET', headers = {}, body, assertions = [], captures = [] } = step
  const unknown = Object.keys(step).filter((field) => !FIELDS.has(field))
  const faults = unknown.map((path) => ({ path, message: `is not known: a step has ${[...FIELDS].join(', ')}` }))
  const add = (path: string, message: string) => void faults.push({ path, message })
  if (!isText(name, MAX_NAME_LENGTH)) add('name', `must be a text of 1 to ${MAX_NAME_LENGTH} characters`)
  if (!isText(url, MAX_URL_LENGTH)) add('url', `must be a text of 1 to ${MAX_URL_LENGTH} characters`)
  else {
    const filled = fillIn(url, () => 'x')
    const fault = targetFault(filled)
    if (fault !== undefined) add('url', fault)
    else if (!isHttpUrl(filled, base)) add('url', 'must be a URL over http or https, or one relative to that of the monitor')
  }
  const hasMethod = (CHECK_METHODS as readonly unknown[]).includes(method)
  if (!hasMethod) add('method', `must be one of ${CHECK_METHODS.join(', ')}`)
  if (body !== undefined && typeof body !== 'string') add('body', 'must be a text')
  else if (body !== undefined && (method === 'GET' || method === 'HEAD')) add('body', `must be left out with method ${method}`)
  if (!isObject(headers) || !Object.values(headers).every((value) => typeof value === 'string'))
    add('headers', 'must be an object of texts')
  else {
    faults.push(...headersFaults(headers as Record<string, string>))
    for (const [header, value] of Object.entries(headers))
      if (SECRET_HEADER.test(header) && placeholdersIn(String(value)).length === 0)
        add(
          `headers.${header}`,
          'must take its value from credentials or an earlier step, as {{token}}: what checks report masks those alone',
        )
  }
  faults.push(...assertionsFaults(assertions), ...captureFaults(captures))
  const texts = {
    url,
    body,
    ...Object.fromEntries(Object.entries(headers ?? {}).map(([header, value]) => [`headers.${header}`, value])),
  }
  for (const [path, text] of Object.entries(texts))
    for (const used of typeof text === 'string' ? placeholdersIn(text) : [])
      if (!known.has(used)) add(path, `{{${used}}} is neither a credential that is set nor captured by an earlier step`)
  return faults
}

function captureFaults(captures: unknown): ErrorDetail[] {
  if (!Array.isArray(captures) || captures.length > MAX_CAPTURES)
    return [{ path: 'captures', message: `must be a list of at most ${MAX_CAPTURES} captures` }]
  return captures.flatMap((capture: unknown, index) => {
    const path = `captures.${index}`
    if (!isObject(capture)) return [{ path, message: 'must be an object with a name, and a json_path or a header' }]
    const { name, json_path: jsonPath, header, ...others } = capture
    const faults: ErrorDetail[] = Object.keys(others).map((field) => ({ path: `${path}.${field}`, message: 'is not known' }))
    if (typeof name !== 'string' || !/^[a-z][a-z0-9_]{0,31}$/.test(name))
      faults.push({
        path: `${path}.name`,
        message: 'must have 1 to 32 characters: small letters, digits and _, with a letter first',
      })
    if ((jsonPath === undefined) === (header === undefined))
      faults.push({ path, message: 'needs either a json_path or a header' })
    else if (!isText(jsonPath ?? header, MAX_PROPERTY_LENGTH))
      faults.push({
        path: `${path}.${jsonPath === undefined ? 'header' : 'json_path'}`,
        message: `must be a text of 1 to ${MAX_PROPERTY_LENGTH} characters`,
      })
    return faults
  })
}

function isHttpUrl(text: string, base: URL): boolean {
  const url = URL.parse(text, base.href)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === ''
}

const PLACEHOLDER = /\{\{([a-z][a-z0-9_]{0,31})\}\}/g

const placeholdersIn = (text: string): string[] => [...text.matchAll(PLACEHOLDER)].map(([, name]) => name as string)

/** The text with each `{{name}}` replaced. Pure. */
export const fillIn = (text: string, valueOf: (name: string) => string): string =>
  text.replaceAll(PLACEHOLDER, (_, name: string) => valueOf(name))
