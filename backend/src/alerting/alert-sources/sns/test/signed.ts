import { execFileSync } from 'node:child_process'
import { createPrivateKey, type KeyObject, sign } from 'node:crypto'

/** A certificate that signs itself, valid for 30 days from now, with its key: as SNS has one for each region. */
export function makeSigner(...keyOptions: string[]): { cert: string; key: KeyObject } {
  const options = keyOptions.length > 0 ? keyOptions : ['-newkey', 'rsa:2048']
  const args = [
    'req',
    '-x509',
    ...options,
    '-nodes',
    '-subj',
    '/CN=sns.amazonaws.com',
    '-days',
    '30',
    '-keyout',
    '-',
    '-out',
    '-',
  ]
  const pem = execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] }).toString()
  return { cert: pem.slice(pem.indexOf('-----BEGIN CERTIFICATE-----')), key: createPrivateKey(pem) }
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
