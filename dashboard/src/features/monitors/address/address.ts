import { dnsQuestionOf, DNS_RECORD_TYPES, isSlug, isTopicFilter, MAIL_PORTS, targetFault } from '@vedette/shared/tables'
import { inUrl, isAddress, isDomain, isHost, isPort, readHost, splitPort, withPort } from './host.ts'

/** The parts of an address as they are typed, by the name of the field. */
export type AddressParts = Readonly<Record<string, string>>

/** Why a part is refused: the name of a text of the editor. */
export type AddressFault =
  | 'required'
  | 'host'
  | 'port'
  | 'mailPort'
  | 'zone'
  | 'domain'
  | 'record'
  | 'resolver'
  | 'databaseNumber'
  | 'folder'
  | 'topic'
  | 'slug'
  | 'webAddress'
  | 'webSocketAddress'
  | 'login'

export interface AddressField {
  name: string
  isRequired?: true
  /** Behind "Advanced": most need none. */
  isAdvanced?: true
  /** Also the placeholder. */
  example: string
  choices?: readonly string[]
  isNumber?: true
  /** Of a part that is not empty. */
  fault?: (value: string) => AddressFault | undefined
}

/** How the URL of a kind is typed in fields. What is typed is tidied: nothing that a person would type is refused for its form. */
export interface AddressForm {
  fields: readonly AddressField[]
  /** What a new one begins with. */
  initial?: AddressParts
  /** The URL is the only field. */
  isWhole?: true
  /** The URL for the API; empty while nothing is typed. */
  toUrl(parts: AddressParts): string
  /** The parts of a URL, also of one that is not complete yet. */
  split(url: string): AddressParts | undefined
}

/** The parts of a URL; undefined where the fields cannot say all of it. `toUrl` of them is the same URL. */
export function partsOf(form: AddressForm, url: string): AddressParts | undefined {
  if (url === '') return form.initial ?? {}
  const parts = form.split(url)
  return parts && form.toUrl(parts) === url ? parts : undefined
}

/** What is wrong, by the name of the field. Nothing where nothing is typed: the schema says that. */
export function addressFaults(form: AddressForm, url: string): [name: string, fault: AddressFault][] {
  const parts = partsOf(form, url)
  if (url === '' || !parts) return []
  return form.fields.flatMap(({ name, isRequired, fault }): [string, AddressFault][] => {
    const value = parts[name] ?? ''
    const found = value === '' ? (isRequired && 'required') || undefined : fault?.(value)
    return found === undefined ? [] : [[name, found]]
  })
}

const part = (parts: AddressParts, name: string): string => (parts[name] ?? '').trim()

const hostFault = (text: string): AddressFault | undefined =>
  /^[0-9a-f:.]+%/i.test(text) ? 'zone' : isHost(text) ? undefined : 'host'

const portFault = (text: string, isMail: boolean): AddressFault | undefined =>
  !isPort(text) ? 'port' : MAIL_PORTS.has(Number(text)) && !isMail ? 'mailPort' : undefined

const portField = (example: string, isMail: boolean, isRequired: boolean): AddressField => ({
  name: 'port',
  example,
  isNumber: true,
  fault: (text) => portFault(text, isMail),
  ...(isRequired && { isRequired }),
})

const HOST: AddressField = { name: 'host', isRequired: true, example: 'server.example.com', fault: hostFault }

interface Options {
  /** The usual port, shown as placeholder; undefined: the kind has none. */
  port?: string
  isPortRequired?: true
  isMail?: true
  host?: Partial<AddressField>
  /** The one part of the path. */
  path?: AddressField
  /** What the path is; without it one part. */
  pathForm?: keyof typeof PATH_FORMS
}

/** What would end the part, or be taken for a code of a character. */
const escapePart = (text: string): string => text.replaceAll(/[%/?#\\\s]/g, encodeURIComponent)

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** How the text of a path stands in a URL. */
const PATH_FORMS = {
  part: { toUrl: escapePart, toText: decodePart },
  /** A text of several parts. */
  parts: { toUrl: (text: string) => text.split('/').map(escapePart).join('/'), toText: decodePart },
  /** Several parts and a query, as the URL has them. */
  query: { toUrl: (text: string) => text.replaceAll(/[#\\\s]/g, encodeURIComponent), toText: (text: string) => text },
}

/** `scheme://host:port/part`. */
export function hostAddress(
  scheme: string,
  { port, isPortRequired, isMail, host, path, pathForm = 'part' }: Options = {},
): AddressForm {
  const hostName = host?.name ?? HOST.name
  const pathText = PATH_FORMS[pathForm]
  return {
    fields: [
      { ...HOST, ...host },
      ...(port === undefined ? [] : [portField(port, isMail === true, isPortRequired === true)]),
      ...(path ? [path] : []),
    ],
    toUrl: (parts) => {
      const typed = readHost(part(parts, hostName))
      const target = { host: typed.host, port: port === undefined ? '' : part(parts, 'port') || typed.port }
      const last = path ? part(parts, path.name).replace(/^\/+/, '') : ''
      if (target.host === '' && target.port === '' && last === '') return ''
      return `${scheme}://${withPort(target)}${last === '' ? '' : `/${pathText.toUrl(last)}`}`
    },
    split: (url) => {
      if (!url.startsWith(`${scheme}://`)) return undefined
      const [authority = '', ...segments] = url.slice(scheme.length + 3).split('/')
      const { host: name, port: number } = splitPort(authority)
      const last = segments.join('/')
      return {
        [hostName]: name,
        ...(port === undefined ? {} : { port: number }),
        ...(path ? { [path.name]: pathText.toText(last) } : {}),
      }
    },
  }
}

/** A kind of which the scheme with an s has TLS, and the one without has none; `usual` is what comes first. */
export function eitherAddress(
  scheme: string,
  usual: 'TLS' | 'none',
  ports: Readonly<Record<'TLS' | 'none', string>>,
  options: Omit<Options, 'port'> = {},
): AddressForm {
  const forms = {
    TLS: hostAddress(`${scheme}s`, { ...options, port: ports.TLS }),
    none: hostAddress(scheme, { ...options, port: ports.none }),
  }
  return {
    fields: [...forms[usual].fields, { name: 'encryption', example: usual, choices: ['TLS', 'none'] }],
    initial: { encryption: usual },
    toUrl: ({ encryption, ...parts }) => forms[encryption === 'TLS' || encryption === 'none' ? encryption : usual].toUrl(parts),
    split: (url) => {
      const encryption = url.startsWith(`${scheme}://`) ? ('none' as const) : ('TLS' as const)
      const parts = forms[encryption].split(url)
      return parts && { ...parts, encryption }
    },
  }
}

/** `grpcs://host:port/service`, and `grpc://` without TLS. */
export const grpcAddress = (): AddressForm =>
  eitherAddress('grpc', 'TLS', { TLS: '443', none: '80' }, { path: { name: 'service', example: 'shop.v1.Orders' } })

/** `mqtt://host:port/a/topic`, and `mqtts://` with TLS. */
export function mqttAddress(): AddressForm {
  const fault = (text: string) => (isTopicFilter(text) ? undefined : 'topic')
  return eitherAddress(
    'mqtt',
    'none',
    { TLS: '8883', none: '1883' },
    {
      host: { example: 'broker.example.com' },
      path: { name: 'topic', example: 'plant/temperature', fault },
      pathForm: 'parts',
    },
  )
}

/** `ftp://host:port/a/folder`. */
export const ftpAddress = (): AddressForm =>
  hostAddress('ftp', {
    port: '21',
    host: { example: 'files.example.com' },
    path: { name: 'folder', example: 'incoming', fault: (text) => (/\p{Cc}/u.test(text) ? 'folder' : undefined) },
    pathForm: 'parts',
  })

/** `dns://resolver/name?type=A`. */
export function dnsAddress(): AddressForm {
  return {
    fields: [
      {
        name: 'record',
        isRequired: true,
        example: 'www.example.com',
        fault: (text) => ('fault' in dnsQuestionOf(new URL(`dns:///${text}`)) && !isAddress(text) ? 'record' : undefined),
      },
      { name: 'recordType', example: 'A', choices: Object.keys(DNS_RECORD_TYPES) },
      {
        name: 'resolver',
        example: '9.9.9.9',
        fault: (text) => {
          const { host, port } = splitPort(text)
          return isHost(host) && (port === '' || portFault(port, false) === undefined) ? undefined : 'resolver'
        },
      },
    ],
    initial: { recordType: 'A' },
    toUrl: (parts) => {
      const typed = part(parts, 'record')
      // An IPv6 address has a reverse name.
      const record = isAddress(typed) ? typed : readHost(typed).host
      const resolver = part(parts, 'resolver')
      const type = parts['recordType'] ?? ''
      if (record === '' && resolver === '' && (type === '' || type === 'A')) return ''
      return `dns://${resolver === '' ? '' : withPort(readHost(resolver))}/${record}${type === '' ? '' : `?type=${type}`}`
    },
    split: (url) => {
      const found = /^dns:\/\/([^/?#]*)\/([^?#]*)(?:\?type=([A-Z]+))?$/.exec(url)
      const [, resolver = '', record = '', type = ''] = found ?? []
      if (!found || (type !== '' && !Object.hasOwn(DNS_RECORD_TYPES, type))) return undefined
      const { host, port } = splitPort(resolver)
      return { record, recordType: type, resolver: port === '' ? host : resolver }
    },
  }
}

/** `domain://example.com`. */
export const domainAddress = (): AddressForm =>
  hostAddress('domain', {
    host: { name: 'domain', example: 'example.com', fault: (text) => (isDomain(text) ? undefined : 'domain') },
  })

/** `heartbeat://nightly-backup`: a name in the address of the pings, which is otherwise made from that of the monitor. */
export const heartbeatAddress = (): AddressForm => ({
  fields: [{ name: 'slug', isAdvanced: true, example: 'nightly-backup', fault: (text) => (isSlug(text) ? undefined : 'slug') }],
  toUrl: (parts) => `heartbeat://${part(parts, 'slug').toLowerCase()}`,
  split: (url) => (url.startsWith('heartbeat://') ? { slug: url.slice('heartbeat://'.length) } : undefined),
})

/** Also `https:host`, which is a URL too. */
const hasProtocol = (text: string, protocols: readonly string[]): boolean =>
  protocols.some((protocol) => text.slice(0, protocol.length).toLowerCase() === protocol)

/** A whole URL, for which a host is enough. `plain` is the protocol without TLS. */
export function webAddress(secure: string, plain: string, example: string, fault: AddressFault): AddressForm {
  const protocols = [`${secure}:`, `${plain}:`]
  return {
    isWhole: true,
    fields: [
      {
        name: 'url',
        isRequired: true,
        example,
        fault: (text) => {
          const refused = targetFault(text)
          if (refused !== undefined) return URL.canParse(text) ? 'mailPort' : 'zone'
          const url = URL.parse(text)
          if (!url || !protocols.includes(url.protocol) || url.hostname === '') return fault
          if (url.port === '0') return 'port'
          return url.username === '' && url.password === '' ? undefined : 'login'
        },
      },
    ],
    toUrl: (parts) => {
      const text = part(parts, 'url')
      if (text === '' || hasProtocol(text, protocols) || /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text
      return withScheme(text, secure, plain)
    },
    split: (url) => ({ url }),
  }
}

/** TLS is usual, but not on a host of the own network or another port. */
function withScheme(text: string, secure: string, plain: string): string {
  const rest = text.replace(/^\/\//, '')
  const end = rest.search(/[/?#]|$/)
  const authority = rest.slice(0, end)
  const { host, port } = splitPort(authority)
  const isSecure = ['', '443', '8443'].includes(port) && isDomain(host)
  return `${isSecure ? secure : plain}://${isAddress(authority) ? inUrl(authority) : authority}${rest.slice(end)}`
}
