import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../../../test/fake-clock.ts'
import { createCertificateReader, isCertificateHost, isNamedFor, MAX_CERTIFICATE_BYTES } from '../certificate.ts'
import { describeConfirmation, verifySnsMessage } from '../verify.ts'
import { makeNamed, makeSigner, signed } from './signed.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const HOST = 'sns.eu-central-1.amazonaws.com'
const HOSTS = 'sns.*.amazonaws.com'
const CERT_URL = `https://${HOST}/SimpleNotificationService-0123456789abcdef.pem`
const signer = makeSigner()
const other = makeSigner()
const elliptic = makeSigner('-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1')
const authority = makeNamed('Amazon RSA 2048 M01')
const issued = makeNamed('sns.amazonaws.com', [], authority)
const otherService = makeNamed('sqs.amazonaws.com')
/** After all certificates were made. */
const NOW_MS = Date.now() + 60_000

const notification = {
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: 'arn:aws:sns:eu-central-1:123456789012:alerts',
  Subject: 'ALARM: "shop"',
  Message: '{"AlarmName":"shop",\n"NewStateValue":"ALARM"}',
  Timestamp: new Date(NOW_MS - 2_000).toISOString(),
  SignatureVersion: '1',
  SigningCertURL: CERT_URL,
  UnsubscribeURL: `https://${HOST}/?Action=Unsubscribe`,
}
const { Subject: _subject, UnsubscribeURL: _unsubscribe, ...common } = notification
const confirmation = {
  ...common,
  Type: 'SubscriptionConfirmation',
  Message: 'You have chosen to subscribe to the topic.',
  SubscribeURL: `https://${HOST}/?Action=ConfirmSubscription&Token=2336412f`,
  Token: '2336412f',
}

/** Verifies by a server that answers with this; without `certificates` by that of the signer. */
function scene(options: { status?: number; text?: string; nowMs?: number; hosts?: string; fails?: boolean } = {}) {
  const { status = 200, text = signer.cert, nowMs = NOW_MS, hosts = HOSTS, fails = false } = options
  const clock = createFakeClock(nowMs)
  const requested: string[] = []
  const fetch = (url: string) => {
    requested.push(url)
    return fails ? Promise.reject(new Error('blocked: a private address')) : Promise.resolve({ status, text })
  }
  const readCertificate = createCertificateReader({ fetch, clock })
  const verify = (body: unknown) => verifySnsMessage({ hosts, readCertificate }, body, clock.now())
  return { clock, requested, verify }
}

describe('a message that SNS signed', () => {
  it.each(['1', '2'])('of version %s is taken, with and without a subject', async (SignatureVersion) => {
    const { verify } = scene()
    for (const message of [notification, { ...common }]) {
      const verified = await verify(signed({ ...message, SignatureVersion }, signer.key))
      expect(verified).toEqual({
        type: 'Notification',
        topic: notification.TopicArn,
        messageId: notification.MessageId,
        subscribeUrl: null,
      })
      expect(describeConfirmation(verified)).toBeNull()
    }
  })

  it.each(['SubscriptionConfirmation', 'UnsubscribeConfirmation'])(
    'a %s names what a person opens, and nothing requests it',
    async (Type) => {
      const { verify, requested } = scene()
      const verified = await verify(signed({ ...confirmation, Type }, signer.key))
      expect(describeConfirmation(verified)).toEqual({
        url: confirmation.SubscribeURL,
        text: expect.stringContaining(notification.TopicArn),
      })
      expect(requested).toEqual([CERT_URL])
    },
  )

  it('a certificate is requested once a day, and one that is none once a minute', async () => {
    const good = scene()
    const message = () => signed({ ...notification, Timestamp: new Date(good.clock.now()).toISOString() }, signer.key)
    await good.verify(message())
    good.clock.advance(DAY_MS - 1)
    await good.verify(message())
    expect(good.requested).toHaveLength(1)
    good.clock.advance(1)
    await good.verify(message())
    expect(good.requested).toHaveLength(2)

    const bad = scene({ status: 404 })
    for (let sent = 0; sent < 5; sent += 1)
      await expect(bad.verify(signed(notification, signer.key))).rejects.toThrow('status 404')
    expect(bad.requested).toHaveLength(1)
    bad.clock.advance(60_000)
    await expect(bad.verify(signed(notification, signer.key))).rejects.toThrow('status 404')
    expect(bad.requested).toHaveLength(2)
  })

  it('at most 64 certificates are cached, and the oldest is requested again', async () => {
    const { verify, requested } = scene()
    const send = (index: number) =>
      verify(signed({ ...notification, SigningCertURL: `https://${HOST}/${index}.pem` }, signer.key))
    for (let index = 0; index < 65; index += 1) await send(index)
    await send(64)
    expect(requested).toHaveLength(65)
    await send(0)
    expect(requested).toHaveLength(66)
  })

  it('of a certificate that comes with its issuer is taken', async () => {
    const { verify } = scene({ text: `${issued.cert}\n${authority.cert}` })
    expect((await verify(signed(notification, issued.key))).type).toBe('Notification')
  })

  it.each([
    ['sns.amazonaws.com', HOST, true],
    [HOST, HOST, true],
    ['sns-signing.af-south-1.amazonaws.com', 'sns.af-south-1.amazonaws.com', true],
    ['sns-us-gov-west-1.amazonaws.com', 'sns.us-gov-west-1.amazonaws.com', true],
    ['sns-cn-north-1.amazonaws.com.cn', 'sns.cn-north-1.amazonaws.com.cn', true],
    ['sns.example.com', 'sns.example.com', true],
    ['sqs.amazonaws.com', HOST, false],
    ['snsx.amazonaws.com', HOST, false],
    ['sns.evil-amazonaws.com', HOST, false],
    ['sns.amazonaws.com.example.com', HOST, false],
    ['amazonaws.com', HOST, false],
    ['', HOST, false],
  ])('a certificate of %s is one of %s: %s', (name, host, isOne) => {
    expect(isNamedFor([name], host)).toBe(isOne)
    expect(isNamedFor(['www.example.org', name], host)).toBe(isOne)
  })

  it.each([
    ['sns.eu-central-1.amazonaws.com', true],
    ['sns.amazonaws.com', false],
    ['sns.a.b.amazonaws.com', false],
    ['sns.cn-north-1.amazonaws.com.cn', false],
    ['snsxeu-central-1.amazonaws.com', false],
  ])('%s is a host of the default: %s', (host, isOne) => {
    expect(isCertificateHost(host, HOSTS)).toBe(isOne)
    expect(isCertificateHost(host, `${host},${HOSTS}`)).toBe(true)
  })
})

type Message = Record<string, unknown>
type Scene = Parameters<typeof scene>[0]
/** What is changed before or after it is signed, and how the refusal begins. */
interface Forgery {
  title: string
  before?: Message
  after?: Message
  kind?: Message
  given?: Scene
  by?: typeof signer.key
  refusal: string
  /** Whether the certificate had to be requested to find out. */
  isRequested?: boolean
}

const NOT_SIGNED = 'Signature: is not that of this message'
const changed = (name: string, kind: Message = notification): Forgery => ({
  title: `another ${name} in a ${String(kind['Type'])}`,
  kind,
  after: { [name]: `${String(kind[name])}${name === 'Timestamp' ? '' : '0'}`.replace(/\.\d{3}Z$/, '.999Z') },
  refusal: NOT_SIGNED,
  isRequested: true,
})
const url = (title: string, SigningCertURL: unknown, refusal: string): Forgery => ({
  title: `a certificate ${title}`,
  before: { SigningCertURL },
  refusal: `SigningCertURL: ${refusal}`,
})
const answer = (title: string, given: Scene, refusal: string): Forgery => ({
  title: `a certificate ${title}`,
  given,
  refusal: `SigningCertURL: ${refusal}`,
  isRequested: true,
})
const HTTPS = 'must be an https:// URL'
const OF_HOST = 'must be of a host in VEDETTE_SNS_CERTIFICATE_HOSTS'
const ISO = (ms: number) => new Date(ms).toISOString()

const FORGERIES: Forgery[] = [
  ...['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn'].map((name) => changed(name)),
  ...['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn'].map((name) => changed(name, confirmation)),
  { title: 'a subject that was added', kind: common, after: { Subject: 'Hello' }, refusal: NOT_SIGNED, isRequested: true },
  { title: 'a subject that was removed', after: { Subject: undefined }, refusal: NOT_SIGNED, isRequested: true },
  {
    title: 'a confirmation as an end of it',
    kind: confirmation,
    after: { Type: 'UnsubscribeConfirmation' },
    refusal: NOT_SIGNED,
    isRequested: true,
  },
  { title: 'the other version of the signature', after: { SignatureVersion: '2' }, refusal: NOT_SIGNED, isRequested: true },
  { title: 'the signature of another key', by: other.key, refusal: NOT_SIGNED, isRequested: true },
  {
    title: 'a signature of zeros',
    after: { Signature: Buffer.alloc(256).toString('base64') },
    refusal: NOT_SIGNED,
    isRequested: true,
  },
  { title: 'a short signature', after: { Signature: 'AAAA' }, refusal: NOT_SIGNED, isRequested: true },
  { title: 'no signature', after: { Signature: undefined }, refusal: 'Signature: must be base64' },
  { title: 'a signature that is no base64', after: { Signature: 'not base64!' }, refusal: 'Signature: must be base64' },
  { title: 'a long signature', after: { Signature: 'A'.repeat(1_404) }, refusal: 'Signature: must be base64' },
  { title: 'a signature of the version 3', after: { SignatureVersion: '3' }, refusal: 'SignatureVersion: must be "1" or "2"' },
  { title: 'a version that is a number', after: { SignatureVersion: 1 }, refusal: 'SignatureVersion: must be "1" or "2"' },
  { title: 'another type', after: { Type: 'Hello' }, refusal: 'Type: must be one of' },
  { title: 'a type in other letters', after: { Type: 'notification' }, refusal: 'Type: must be written Notification' },
  { title: 'a message that is an object', after: { Message: {} }, refusal: 'Message: must be a text' },
  { title: 'no id', after: { MessageId: undefined }, refusal: 'MessageId: must be a text' },
  {
    title: 'a topic that is none',
    before: { TopicArn: 'arn:aws:sqs:eu-central-1:123456789012:a' },
    refusal: 'TopicArn: must be the ARN',
  },
  {
    title: 'a message of over an hour ago',
    before: { Timestamp: ISO(NOW_MS - HOUR_MS - 1) },
    refusal: 'Timestamp: must not be older',
  },
  {
    title: 'a message from the future',
    before: { Timestamp: ISO(NOW_MS + 300_001) },
    refusal: 'Timestamp: must not be more than 5 minutes',
  },
  { title: 'a time that is none', before: { Timestamp: 'yesterday' }, refusal: 'Timestamp: must be an instant' },
  { title: 'a recorded message, a day later', given: { nowMs: NOW_MS + DAY_MS }, refusal: 'Timestamp: must not be older' },
  url('of another host', 'https://example.com/x.pem', OF_HOST),
  url('of a host that ends alike', 'https://sns.eu.evil-amazonaws.com/x.pem', OF_HOST),
  url('of a host that begins alike', `https://${HOST}.example.com/x.pem`, OF_HOST),
  url('of a host two labels below', 'https://sns.a.b.amazonaws.com/x.pem', OF_HOST),
  url('of a bucket', 'https://bucket.s3.amazonaws.com/sns.pem', OF_HOST),
  url('of an address', 'https://127.0.0.1/x.pem', OF_HOST),
  url('of China by default', 'https://sns.cn-north-1.amazonaws.com.cn/x.pem', OF_HOST),
  url('over HTTP', CERT_URL.replace('https:', 'http:'), HTTPS),
  url('in a file', 'file:///etc/ssl/cert.pem', HTTPS),
  url('that is no text', { href: CERT_URL }, HTTPS),
  url('with a login', CERT_URL.replace('https://', 'https://user@'), 'must have neither a login nor a port'),
  url('behind another port', CERT_URL.replace('.com/', '.com:8443/'), 'must have neither a login nor a port'),
  url('with a query', `${CERT_URL}?x=.pem`, 'must end with .pem'),
  url('with a fragment', `https://${HOST}/x#.pem`, 'must end with .pem'),
  url('of another file', `https://${HOST}/`, 'must end with .pem'),
  answer('that is moved', { status: 302 }, 'answered with status 302'),
  answer('that cannot be requested', { fails: true }, 'could not be requested: blocked: a private address'),
  answer('that is none', { text: '<html>' }, 'is no certificate'),
  answer('of too many bytes', { text: signer.cert.padEnd(MAX_CERTIFICATE_BYTES + 1) }, 'has more than 16,384 bytes'),
  answer('of another service', { text: otherService.cert }, 'is of a certificate of another service'),
  answer('with an issuer of another one', { text: `${issued.cert}${signer.cert}` }, 'is of a certificate of another issuer'),
  answer('behind its issuer', { text: `${authority.cert}${issued.cert}` }, 'is of a certificate of another service'),
  answer('with an issuer that is none', { text: `${issued.cert}${other.cert.replaceAll(/[a-z]/g, 'a')}` }, 'is no certificate'),
  answer('with a key that is not RSA', { text: elliptic.cert }, 'must be of a certificate with an RSA key'),
  {
    ...answer('that has expired', { nowMs: NOW_MS + 31 * DAY_MS }, 'is of a certificate that has expired'),
    before: { Timestamp: ISO(NOW_MS + 31 * DAY_MS) },
  },
  {
    ...answer('that is not valid yet', { nowMs: NOW_MS - DAY_MS }, 'is of a certificate that is not valid yet'),
    before: { Timestamp: ISO(NOW_MS - DAY_MS) },
  },
  {
    title: 'an address to confirm of another host',
    kind: { ...confirmation, SubscribeURL: 'https://example.com/?Action=ConfirmSubscription' },
    refusal: `SubscribeURL: must be an https:// URL of ${HOST}`,
    isRequested: true,
  },
]

describe('a forged or replayed message of SNS', () => {
  it('has 40 kinds and more', () => {
    expect(FORGERIES.length).toBeGreaterThanOrEqual(40)
    expect(new Set(FORGERIES.map(({ title }) => title)).size).toBe(FORGERIES.length)
  })

  it.each(FORGERIES)(
    '$title is refused',
    async ({ before, after, kind = notification, given, by, refusal, isRequested = false }) => {
      const { verify, requested } = scene(given)
      const body = { ...signed({ ...kind, ...before }, by ?? signer.key), ...after }
      const error = await verify(body).then(
        () => undefined,
        (thrown: unknown) => thrown as { code?: string; message: string },
      )
      expect(error?.message).toContain(refusal)
      expect(error?.code).toBe('validation_error')
      expect(requested).toHaveLength(isRequested ? 1 : 0)
    },
  )

  it.each([null, [], 'x', 1])('a body that is %j is refused', async (body) => {
    await expect(scene().verify(body)).rejects.toThrow('the body must be a JSON object')
  })
})
