import type { CreateMonitorBody, MonitorDetails } from '@vedette/shared'

type Assertion = NonNullable<CreateMonitorBody['assertions']>[number]

/** What the editor holds: texts as they are typed. */
export interface Draft {
  name: string
  url: string
  method: string
  interval: string
  timeout: string
  confirmations: string
  regions: readonly string[]
  tags: readonly string[]
  headers: readonly DraftHeader[]
  body: string
  assertions: readonly DraftAssertion[]
  followRedirects: boolean
  verifyTls: boolean
}

export interface DraftHeader {
  key: number
  name: string
  value: string
}

export interface DraftAssertion {
  key: number
  type: string
  operator: string
  property: string
  value: string
}

/** As the table of the API has it; what it takes beyond is refused there and told at its field. */
export const ASSERTION_FORMS: Readonly<Record<string, { operators: readonly string[]; isNumber: boolean; property?: string }>> = {
  status_code: { operators: ['equals', 'not_equals', 'less_than', 'greater_than'], isNumber: true },
  response_time: { operators: ['less_than', 'greater_than'], isNumber: true },
  certificate_expiry: { operators: ['greater_than'], isNumber: true },
  body: { operators: ['contains', 'not_contains', 'matches'], isNumber: false },
  header: {
    operators: ['equals', 'not_equals', 'contains', 'not_contains', 'less_than', 'greater_than', 'exists', 'not_exists'],
    isNumber: false,
    property: 'content-type',
  },
  json_path: {
    operators: ['equals', 'not_equals', 'contains', 'not_contains', 'less_than', 'greater_than', 'exists', 'not_exists'],
    isNumber: false,
    property: '$.status',
  },
}

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export const takesBody = (method: string): boolean => method !== 'GET' && method !== 'HEAD'
export const takesValue = (operator: string): boolean => operator !== 'exists' && operator !== 'not_exists'
const comparesNumbers = (operator: string): boolean => operator === 'less_than' || operator === 'greater_than'

let keys = 0
/** Rows of a form need names of their own while they move. */
export const newKey = (): number => {
  keys += 1
  return keys
}

export const newAssertion = (type = 'status_code'): DraftAssertion => ({
  key: newKey(),
  type,
  operator: ASSERTION_FORMS[type]?.operators[0] ?? 'equals',
  property: '',
  value: type === 'status_code' ? '200' : '',
})

export const EMPTY_DRAFT: Draft = {
  name: '',
  url: '',
  method: 'GET',
  interval: '60',
  timeout: '10',
  confirmations: '2',
  regions: [],
  tags: [],
  headers: [],
  body: '',
  assertions: [],
  followRedirects: true,
  verifyTls: true,
}

export function draftOf(monitor: MonitorDetails): Draft {
  return {
    name: monitor.name,
    url: monitor.url,
    method: monitor.method,
    interval: String(monitor.interval),
    timeout: String(monitor.timeout),
    confirmations: String(monitor.confirmations),
    regions: monitor.regions,
    tags: monitor.tags,
    headers: Object.entries(monitor.headers).map(([name, value]) => ({ key: newKey(), name, value })),
    body: monitor.body ?? '',
    assertions: monitor.assertions.map(({ type, operator, property = '', value = '' }) => ({
      key: newKey(),
      type,
      operator,
      property,
      value: String(value),
    })),
    followRedirects: monitor.follow_redirects,
    verifyTls: monitor.verify_tls,
  }
}

/** As the API takes it. A name that is empty is the host of the URL: most monitors are called so. */
export function bodyOf(draft: Draft): CreateMonitorBody {
  return {
    name: draft.name.trim() === '' ? hostOf(draft.url) : draft.name.trim(),
    url: draft.url.trim(),
    method: draft.method as NonNullable<CreateMonitorBody['method']>,
    interval: Number(draft.interval),
    timeout: Number(draft.timeout),
    confirmations: Number(draft.confirmations),
    ...(draft.regions.length > 0 ? { regions: [...draft.regions] } : {}),
    tags: [...draft.tags],
    headers: Object.fromEntries(
      draft.headers.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]),
    ),
    body: takesBody(draft.method) && draft.body !== '' ? draft.body : null,
    assertions: draft.assertions.map(assertionOf),
    follow_redirects: draft.followRedirects,
    verify_tls: draft.verifyTls,
  }
}

function assertionOf({ type, operator, property, value }: DraftAssertion): Assertion {
  const form = ASSERTION_FORMS[type]
  const isNumber = form?.isNumber === true || comparesNumbers(operator)
  return {
    type: type as Assertion['type'],
    operator: operator as Assertion['operator'],
    ...(form?.property === undefined ? {} : { property: property.trim() }),
    ...(takesValue(operator) ? { value: isNumber && value.trim() !== '' ? Number(value) : value } : {}),
  }
}

function hostOf(url: string): string {
  try {
    return new URL(url.trim()).hostname
  } catch {
    return '' // the API says what is wrong with the URL
  }
}
