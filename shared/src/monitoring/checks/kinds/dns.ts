import { VERIFY_TLS } from './common.ts'
import type { CheckKindSpec } from './kind.ts'

/** By name, with the number on the wire. */
export const DNS_RECORD_TYPES = {
  A: 1,
  AAAA: 28,
  CNAME: 5,
  MX: 15,
  TXT: 16,
  NS: 2,
  CAA: 257,
  SOA: 6,
  SRV: 33,
  PTR: 12,
  DS: 43,
  TLSA: 52,
  HTTPS: 65,
  SVCB: 64,
} as const
export type DnsRecordType = keyof typeof DNS_RECORD_TYPES

const isRecordType = (text: string): text is DnsRecordType => Object.hasOwn(DNS_RECORD_TYPES, text)

export interface DnsQuestion {
  /** In lower-case ASCII, without a dot at the end. */
  name: string
  type: DnsRecordType
}

/** The question in `dns://resolver/name?type=A`, or why there is none. An address becomes its reverse name for PTR. Pure. */
export function dnsQuestionOf({ pathname, searchParams }: URL): DnsQuestion | { fault: string } {
  const type = (searchParams.get('type') ?? 'A').toUpperCase()
  if (!isRecordType(type)) return { fault: `must have a type of ${Object.keys(DNS_RECORD_TYPES).join(', ')}` }
  const text = decode(pathname.slice(1)).replace(/\.$/, '')
  const name = (type === 'PTR' ? reverseName(text) : undefined) ?? toAscii(text)
  const isName = name.length <= 253 && /^[a-z0-9_*-]{1,63}(?:\.[a-z0-9_*-]{1,63})*$/.test(name)
  return isName ? { name, type } : { fault: 'must contain a domain name, such as dns:///example.com?type=A' }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** International names become ASCII. */
const toAscii = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- ASCII is what is meant
  (/^[\0-\x7f]*$/.test(text) ? text : (URL.parse(`http://${text}`)?.hostname ?? text)).toLowerCase()

function reverseName(address: string): string | undefined {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(address)) return `${address.split('.').toReversed().join('.')}.in-addr.arpa`
  // The URL parser accepts every spelling.
  const ipv6 = address.includes(':') ? URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) : undefined
  if (ipv6 === undefined) return undefined
  const [head = '', tail] = ipv6.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => group.padStart(4, '0')))
  const [left, right] = [groups(head), groups(tail ?? '')]
  const all = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0000'), ...right]
  return `${all.join('').split('').toReversed().join('.')}.ip6.arpa`
}

const TEXT = ['equals', 'not_equals', 'contains', 'not_contains', 'exists', 'not_exists'] as const

export const dns = {
  label: 'DNS',
  description: 'Queries a name server for a record and checks the answer.',
  protocols: ['dns:'],
  example: 'dns://ns1.example.com/www.example.com?type=A',
  mayLackHost: true,
  network: { carrier: ({ options }) => (options['transport'] === 'udp' ? 'datagrams' : 'tcp'), hasTls: true },
  options: {
    transport: {
      label: 'Transport',
      hint: 'UDP falls back to TCP for long answers; tls is DNS over TLS on port 853',
      form: 'choice',
      choices: ['udp', 'tcp', 'tls'],
      default: 'udp',
    },
    recursion: { label: 'Request recursion', hint: 'off for authoritative servers', form: 'boolean', default: true },
    verify_tls: VERIFY_TLS,
  },
  credentials: {},
  observes: ['text', 'certificate'],
  facts: {
    rcode: { label: 'Response code', operators: ['equals', 'not_equals'], valueKinds: ['string'], initialValue: 'NOERROR' },
    values: { label: 'Values', operators: TEXT, valueKinds: ['string'] },
    answer_count: {
      label: 'Answers',
      operators: ['greater_than', 'less_than', 'equals'],
      valueKinds: ['number'],
      bounds: { minimum: 0, maximum: 65_535, isWhole: true },
    },
    ttl: {
      label: 'Time to live',
      operators: ['greater_than', 'less_than', 'equals'],
      valueKinds: ['number'],
      unit: 's',
      bounds: { minimum: 0, maximum: 2_147_483_647, isWhole: true },
    },
    authenticated: {
      label: 'Authenticated (AD)',
      operators: ['equals'],
      valueKinds: ['string'],
      initialValue: 'true',
    },
    soa_serial: {
      label: 'SOA serial',
      operators: ['greater_than', 'less_than', 'equals', 'not_equals'],
      valueKinds: ['number'],
      bounds: { minimum: 0, maximum: 4_294_967_295, isWhole: true },
    },
  },
  faults({ url }) {
    const question = dnsQuestionOf(url)
    if ('fault' in question) return [{ path: 'url', message: question.fault }]
    const hasMore = url.hash !== '' || [...url.searchParams.keys()].some((name, index) => name !== 'type' || index > 0)
    return hasMore ? [{ path: 'url', message: 'must have nothing after the name but ?type=' }] : []
  },
} as const satisfies CheckKindSpec
