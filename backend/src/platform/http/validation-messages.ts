import { type ErrorDetail, truncateText } from '@vedette/shared'
import type { ErrorObject } from 'ajv'

/** Every detail costs the reader a line: more than these are a wrong kind of body. */
const MAX_DETAILS = 20
const MAX_SENT_LENGTH = 40

/** What a schema says about its field in addition to JSON Schema: the unit of a number, and the form of a text in words. */
interface Described {
  'x-unit'?: string
  'x-form'?: string
}

/** One fault per field, in the words of the API: the bound with its unit, and what was sent. Needs the validator's `verbose`. */
export function toDetails(errors: readonly ErrorObject[]): ErrorDetail[] {
  const details = new Map<string, ErrorDetail>()
  for (const error of withoutBranches(errors)) {
    if (details.size === MAX_DETAILS) break
    const path = pathOf(error)
    if (!details.has(path)) details.set(path, { path, message: messageOf(error, path) })
  }
  return [...details.values()]
}

/** Of a union only what the branch refused that the value was meant for: that of its type. */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  const rest: ErrorObject[] = []
  for (const error of errors) {
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
      rest.push(error)
      continue
    }
    const { instancePath } = error
    const first = rest.findIndex((one) => one.instancePath === instancePath || one.instancePath.startsWith(`${instancePath}/`))
    const branches = first === -1 ? [] : rest.splice(first)
    const meant = branches.filter((one) => one.keyword !== 'type' || one.instancePath !== instancePath)
    rest.push(...(meant.length > 0 ? meant : [error]))
  }
  return rest
}

function pathOf({ instancePath, keyword, params }: ErrorObject): string {
  const segments = instancePath
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last =
    keyword === 'required' ? params['missingProperty'] : keyword === 'additionalProperties' && params['additionalProperty']
  return [...segments, ...(typeof last === 'string' ? [last] : [])].join('.')
}

function messageOf({ keyword, params, parentSchema = {}, data, message }: ErrorObject, path: string): string {
  const { 'x-unit': given, 'x-form': form } = parentSchema as Described
  const limit = String(params['limit'])
  switch (keyword) {
    case 'additionalProperties':
      return 'is unknown'
    case 'required':
      return 'is required'
    case 'type':
      return `must be ${[params['type']].flat().map(nameOfType).join(' or ')}${typeSent(data)}`
    case 'digits':
      return `must be a whole number in decimal digits${valueSent(data, path)}`
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}${valueSent(data, path)}`
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}${valueSent(data, path)}`
    case 'minimum':
    case 'maximum':
      return `must be at ${keyword === 'minimum' ? 'least' : 'most'} ${limit}${unitOf(given, path, limit)}${valueSent(data, path)}`
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `must be ${keyword === 'exclusiveMinimum' ? 'more' : 'less'} than ${limit}${unitOf(given, path, limit)}${valueSent(data, path)}`
    case 'minLength':
    case 'maxLength':
      return countFault(keyword === 'minLength', limit, 'character', countCharacters(data as string))
    case 'minItems':
    case 'maxItems':
      return countFault(keyword === 'minItems', limit, 'item', (data as unknown[]).length)
    case 'minProperties':
      return limit === '1' ? 'must have at least one field' : `must have at least ${limit} fields`
    case 'maxProperties':
      return `must have at most ${limit} fields (sent ${Object.keys(data as object).length})`
    case 'uniqueItems':
      return `must not repeat an item: ${String(params['i'])} equals ${String(params['j'])}`
    case 'pattern':
      return form === undefined ? 'has another form than is allowed' : `must be ${form}${valueSent(data, path)}`
    case 'format':
      return `must be ${FORMATS[String(params['format'])] ?? `a ${String(params['format'])}`}${valueSent(data, path)}`
    case 'anyOf':
    case 'oneOf':
      return `has a type that is not allowed${typeSent(data)}`
    default:
      return message ?? 'is not valid'
  }
}

const FORMATS: Record<string, string> = {
  email: 'an e-mail address',
  'date-time': 'an instant such as 2026-11-20T18:00:00.000Z',
  uuid: 'a UUID',
}

function countFault(isTooFew: boolean, limit: string, noun: string, sent: number): string {
  if (isTooFew && sent === 0) return limit === '1' ? 'must not be empty' : `must have at least ${limit} ${noun}s (sent none)`
  return `must have at ${isTooFew ? 'least' : 'most'} ${limit} ${noun}${limit === '1' ? '' : 's'} (sent ${sent})`
}

/** As the validator counts: a pair of surrogates is one. */
function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

const TYPES: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}
const nameOfType = (type: unknown): string => TYPES[String(type)] ?? String(type)

function typeSent(data: unknown): string {
  if (data === undefined) return ''
  if (typeof data === 'number') return ` (sent ${data})`
  return ` (sent ${data === null ? 'null' : Array.isArray(data) ? 'a list' : nameOfType(typeof data)})`
}

/** Units of fields whose name says them. */
const UNITS: Record<string, string> = {
  seconds: 'seconds',
  ms: 'milliseconds',
  minutes: 'minutes',
  hours: 'hours',
  days: 'days',
  bytes: 'bytes',
  percent: '%',
  cores: 'cores',
}

function unitOf(given: string | undefined, path: string, limit: string): string {
  const unit = given ?? UNITS[path.slice(Math.max(path.lastIndexOf('_'), path.lastIndexOf('.')) + 1)]
  if (unit === undefined) return ''
  return ` ${limit === '1' ? unit.replace(/s$/, '') : unit}`
}

/** Fields whose values are secrets, or contain them: URLs of channels are, and a header may. */
const SECRET = /pass|secret|token|code|key|credential|authorization|header|body|config|url/i

function valueSent(data: unknown, path: string): string {
  if (SECRET.test(path)) return ''
  if (typeof data === 'number' || typeof data === 'boolean' || data === null) return ` (sent ${data})`
  if (typeof data !== 'string') return typeSent(data)
  return ` (sent ${JSON.stringify(truncateText(data, MAX_SENT_LENGTH + 1, '…'))})`
}
