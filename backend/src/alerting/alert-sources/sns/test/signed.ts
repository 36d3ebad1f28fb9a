import { execFileSync } from 'node:child_process'
import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The name that the certificate of SNS has in most regions. */
const NAME = 'sns.amazonaws.com'

export interface Signer {
  cert: string
  key: KeyObject
}

/** A certificate that signs itself, valid for 30 days from now, with its key: as SNS has one for each region. */
export const makeSigner = (...keyOptions: string[]): Signer => makeNamed(NAME, keyOptions)

/** The same of another name, or of another issuer. */
export function makeNamed(name: string, keyOptions: readonly string[] = [], issuer?: Signer): Signer {
  const folder = mkdtempSync(join(tmpdir(), 'sns-'))
  try {
    if (issuer) {
      writeFileSync(join(folder, 'ca.pem'), issuer.cert)
      writeFileSync(join(folder, 'ca.key'), issuer.key.export({ type: 'pkcs8', format: 'pem' }))
    }
    const by = issuer ? ['-CA', 'ca.pem', '-CAkey', 'ca.key'] : []
    const options = keyOptions.length > 0 ? keyOptions : ['-newkey', 'rsa:2048']
    const output = ['-nodes', '-subj', `/CN=${name}`, '-days', '30', '-keyout', '-', '-out', '-']
    const pem = execFileSync('openssl', ['req', '-x509', ...by, ...options, ...output], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).toString()
    return { cert: pem.slice(pem.indexOf('-----BEGIN CERTIFICATE-----')), key: createPrivateKey(pem) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const NOTIFICATION = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
const CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']

/** The message with its signature, as SNS makes it: absent fields are not signed. */
export function signed(message: Record<string, unknown>, key: KeyObject): Record<string, unknown> {
  const names = message['Type'] === 'Notification' ? NOTIFICATION : CONFIRMATION
  const lines = names.flatMap((name) => (message[name] === undefined ? [] : [name, message[name] as string]))
  const algorithm = message['SignatureVersion'] === '2' ? 'RSA-SHA256' : 'RSA-SHA1'
  return { ...message, Signature: sign(algorithm, Buffer.from(`${lines.join('\n')}\n`), key).toString('base64') }
}
