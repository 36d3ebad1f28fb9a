import type { ErrorDetail } from '../../../wire/errors.ts'
import { MASK } from '../../../wire/mask.ts'
import type { CheckKindSpec } from '../kinds/kind.ts'
import { NETWORK_OPTION_NAMES, type NetworkOptions, networkSpecOf } from './options.ts'
import { CONTROL, parseProxyUrl } from './parse.ts'

interface Definition {
  type: string
  url: string
  options: Readonly<Record<string, unknown>>
  credentials: Readonly<Record<string, string>>
}

/** Faults of network options that the table cannot express. The options are valid by the table. Pure. */
export function networkFaults(kind: CheckKindSpec, { type, url, options, credentials }: Definition): ErrorDetail[] {
  if (!kind.network) return []
  const { carrier } = kind.network
  const definition = { type, kind, options, carrier: typeof carrier === 'function' ? carrier({ url, options }) : carrier }
  const faults = NETWORK_OPTION_NAMES.flatMap((name) => {
    // It fits the form of its option, which the type of the rule names.
    const message = options[name] === undefined ? undefined : networkSpecOf(name).fault?.(options[name] as never, definition)
    return message === undefined ? [] : [{ path: `options.${name}`, message }]
  })
  return [...faults, ...passwordFaults(options, credentials)]
}

function passwordFaults(options: NetworkOptions, { proxy_password: password }: Readonly<Record<string, string>>): ErrorDetail[] {
  if (password === undefined) return []
  const path = 'credentials.proxy_password'
  if (options.proxy_url === undefined) return [{ path, message: 'must be left out without options.proxy_url' }]
  const proxy = parseProxyUrl(options.proxy_url)
  if ('fault' in proxy) return []
  if (proxy.username === '')
    return [{ path: 'options.proxy_url', message: 'must contain the user name that credentials.proxy_password belongs to' }]
  const isFit =
    password === MASK || (new TextEncoder().encode(password).length <= 255 && password !== '' && !CONTROL.test(password))
  return isFit ? [] : [{ path, message: 'must have 1 to 255 bytes without control characters' }]
}
