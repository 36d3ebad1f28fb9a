import type { ErrorDetail } from '../../../wire/errors.ts'
import { MASK } from '../../../wire/mask.ts'
import { HTTP_PROTOCOLS } from '../limits.ts'
import { targetFault } from '../target-fault.ts'
import type { KindInput } from './kind.ts'

const fault = (path: string, message: string): ErrorDetail[] => [{ path, message }]

/** A bearer token, or a client of OAuth 2, or neither. */
export function faultsOfToken({ options, credentials, headers }: KindInput): ErrorDetail[] {
  const { bearer_token: token, oauth2_client_secret: secret } = credentials
  const [url, id] = [options['oauth2_token_url'], options['oauth2_client_id']]
  if (token !== undefined && token !== MASK && !/^[\w.~+/=-]+$/.test(token))
    return fault('credentials.bearer_token', 'must have 1 or more characters: letters, digits and -._~+/= (RFC 6750)')
  if (url === undefined) {
    if (id !== undefined) return fault('options.oauth2_token_url', 'is required with options.oauth2_client_id')
    if (secret !== undefined) return fault('options.oauth2_token_url', 'is required with credentials.oauth2_client_secret')
  } else {
    const refused = typeof url === 'string' ? targetFault(url) : undefined
    if (refused !== undefined) return fault('options.oauth2_token_url', refused)
    const parsed = typeof url === 'string' ? URL.parse(url) : null
    if (
      !parsed ||
      !(HTTP_PROTOCOLS as readonly string[]).includes(parsed.protocol) ||
      parsed.username !== '' ||
      parsed.password !== ''
    )
      return fault(
        'options.oauth2_token_url',
        'must be a URL that begins with https:// or http://, without a user name or password',
      )
    if (id === undefined || id === '') return fault('options.oauth2_client_id', 'is required with options.oauth2_token_url')
    if (secret === undefined) return fault('credentials.oauth2_client_secret', 'is required with options.oauth2_token_url')
    if (token !== undefined) return fault('credentials.bearer_token', 'must be left out with options.oauth2_token_url')
  }
  const hasHeader = Object.keys(headers ?? {}).some((name) => name.toLowerCase() === 'authorization')
  const isAuthorized = token !== undefined || url !== undefined
  return hasHeader && isAuthorized ? fault('headers', 'must not contain Authorization: the token is sent in it') : []
}

/** Both or neither. Only a probe reads them whole. */
export function faultsOfClientCertificate({ credentials }: KindInput): ErrorDetail[] {
  const { client_certificate: certificate, client_key: key } = credentials
  if ((certificate === undefined) !== (key === undefined)) {
    const absent = certificate === undefined ? 'client_certificate' : 'client_key'
    return fault(`credentials.${absent}`, 'is required: a certificate and its key belong together')
  }
  if (certificate === undefined || key === undefined) return []
  if (certificate !== MASK && !/-----BEGIN CERTIFICATE-----/.test(certificate))
    return fault('credentials.client_certificate', 'must be PEM: it begins with -----BEGIN CERTIFICATE-----')
  if (key !== MASK && !/-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/.test(key))
    return fault('credentials.client_key', 'must be PEM without a passphrase: it begins with -----BEGIN PRIVATE KEY-----')
  return []
}
