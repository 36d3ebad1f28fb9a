import { verify, type X509Certificate } from 'node:crypto'
import { invalid } from '../../../platform/errors.ts'
import { parseInstant } from '../../../platform/time/instant.ts'
import { bodyOf, type Fields, requiredWord } from '../formats/fields.ts'
import { SNS_TYPES } from '../formats/sns.ts'
import { certificateUrlOf } from './certificate.ts'

/** SNS repeats a delivery for up to an hour with the default policy; an older message may be one that somebody recorded. */
const MAX_AGE_MS = 3_600_000
/** How far the clock of a host may be behind. */
const MAX_AHEAD_MS = 300_000

const HASHES = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' } as const
/** The fields that are signed, in this order. */
const SIGNED = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const
const OPTIONAL: ReadonlySet<string> = new Set(['Subject'])
const TOPIC = /^arn:aws[a-z-]{0,20}:sns:[a-z0-9-]{1,40}:\d{12}:[\w.-]{1,256}$/

export type SnsType = keyof typeof SIGNED

/** A message whose signature is that of the certificate that it names, which is one of SNS. */
export interface VerifiedMessage {
  type: SnsType
  topic: string
  messageId: string
  /** For a confirmation: what a person opens, who alone decides. Never requested by Vedette. */
  subscribeUrl: string | null
}

export interface VerifyDeps {
  /** VEDETTE_SNS_CERTIFICATE_HOSTS. */
  hosts: string
  /** Of `createCertificateReader`. */
  readCertificate(url: string): Promise<X509Certificate>
}

/** Throws validation_error with the field for everything that SNS did not sign within the last hour. A repeat is for the store to find. */
export async function verifySnsMessage(deps: VerifyDeps, body: unknown, nowMs: number): Promise<VerifiedMessage> {
  const fields = bodyOf(body)
  const type = requiredWord(fields, 'Type', SNS_TYPES)
  if (fields['Type'] !== type) throw invalid({ path: 'Type', message: `must be written ${type}` })
  const text = canonicalText(fields, type)
  const topic = String(fields['TopicArn'])
  if (!TOPIC.test(topic)) throw invalid({ path: 'TopicArn', message: 'must be the ARN of a topic' })
  assertRecent(fields['Timestamp'], nowMs)
  const hash = hashOf(fields['SignatureVersion'])
  const signature = signatureOf(fields['Signature'])
  const certificate = await deps.readCertificate(certificateUrlOf(fields['SigningCertURL'], deps.hosts))
  if (certificate.publicKey.asymmetricKeyType !== 'rsa')
    throw invalid({ path: 'SigningCertURL', message: 'must be of a certificate with an RSA key' })
  if (!verify(hash, Buffer.from(text), certificate.publicKey, signature))
    throw invalid({ path: 'Signature', message: 'is not that of this message' })
  return {
    type,
    topic,
    messageId: String(fields['MessageId']),
    subscribeUrl: type === 'Notification' ? null : confirmUrlOf(fields['SubscribeURL'], certificateHostOf(fields)),
  }
}

/** Names and values, each on a line. A field is a text with nothing to escape: what is signed is what was sent. */
function canonicalText(fields: Fields, type: SnsType): string {
  let text = ''
  for (const name of SIGNED[type]) {
    const value = fields[name]
    if (value === undefined && OPTIONAL.has(name)) continue
    if (typeof value !== 'string') throw invalid({ path: name, message: 'must be a text' })
    text += `${name}\n${value}\n`
  }
  return text
}

function assertRecent(timestamp: unknown, nowMs: number): void {
  const ms = parseInstant(timestamp)
  if (ms === undefined) throw invalid({ path: 'Timestamp', message: 'must be an instant, as 2026-11-20T18:00:00.000Z' })
  if (ms < nowMs - MAX_AGE_MS) throw invalid({ path: 'Timestamp', message: 'must not be older than an hour' })
  if (ms > nowMs + MAX_AHEAD_MS) throw invalid({ path: 'Timestamp', message: 'must not be more than 5 minutes ahead' })
}

function hashOf(version: unknown): string {
  if (version !== '1' && version !== '2') throw invalid({ path: 'SignatureVersion', message: 'must be "1" or "2"' })
  return HASHES[version]
}

/** Of an RSA key of up to 8,192 bits. Other letters than those of base64 would be skipped, so that many texts were one signature. */
function signatureOf(signature: unknown): Buffer {
  if (typeof signature !== 'string' || signature.length > 1_400 || !/^[A-Za-z0-9+/]+={0,2}$/.test(signature))
    throw invalid({ path: 'Signature', message: 'must be base64 of up to 1,400 characters' })
  return Buffer.from(signature, 'base64')
}

const certificateHostOf = (fields: Fields): string => new URL(String(fields['SigningCertURL'])).hostname

/** The page that confirms is of the service that signed. */
function confirmUrlOf(sent: unknown, host: string): string {
  const url = typeof sent === 'string' && sent.length <= 2_048 ? URL.parse(sent) : null
  if (url?.protocol !== 'https:' || url.host !== host || url.username !== '' || url.password !== '')
    throw invalid({ path: 'SubscribeURL', message: `must be an https:// URL of ${host}` })
  return url.href
}

/** What a person has to confirm, in words; null where there is nothing to do. */
export function describeConfirmation({ type, topic, subscribeUrl }: VerifiedMessage): { text: string; url: string } | null {
  if (subscribeUrl === null) return null
  const text =
    type === 'SubscriptionConfirmation'
      ? `The topic ${topic} is to send its messages here. Open the address to confirm it.`
      : `The topic ${topic} no longer sends its messages here. Open the address to subscribe again.`
  return { text, url: subscribeUrl }
}
