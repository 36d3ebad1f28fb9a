import { createECDH, createPublicKey, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { encryptFor, isOnCurve } from './encryption.ts'
import { vapidKey } from './vapid.ts'

const bytes = (text: string) => Buffer.from(text, 'base64url')

it('a text is encrypted as in appendix A of RFC 8291', () => {
  const keys = {
    p256dh: bytes('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
    auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  }
  const once = { privateKey: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'), salt: bytes('DGv6ra1nlYgDCS1FRnbzlw') }
  expect(encryptFor(keys, Buffer.from('When I grow up, I want to be a watermelon'), once).toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT' +
      'pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  )
})

it('no two bodies have the same key and salt', () => {
  const keys = { p256dh: createECDH('prime256v1').generateKeys(), auth: Buffer.alloc(16) }
  const heads = Array.from({ length: 20 }, () => encryptFor(keys, Buffer.from('a')).subarray(0, 86).toString('hex'))
  expect(new Set(heads.map((head) => head.slice(0, 32))).size).toBe(20)
  expect(new Set(heads.map((head) => head.slice(42))).size).toBe(20)
})

it.each([
  ['a point of the curve', createECDH('prime256v1').generateKeys(), true],
  ['no point', Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]), false],
  ['the zero', Buffer.alloc(65), false],
])('%s is recognized', (_, key, expected) => expect(isOnCurve(key)).toBe(expected))

it('a request is signed for the origin of the endpoint, for twelve hours (RFC 8292)', () => {
  const secret = bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw')
  const { publicKey, authorize } = vapidKey(secret)
  expect(publicKey).toBe('BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8')
  const header = authorize('https://push.example.com:8443/a?b', 'https://vedette.example.com', 1_000_000)
  const [, head, claims, signature, key] = /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? []
  expect(key).toBe(publicKey)
  expect(JSON.parse(bytes(head ?? '').toString())).toEqual({ typ: 'JWT', alg: 'ES256' })
  expect(JSON.parse(bytes(claims ?? '').toString())).toEqual({
    aud: 'https://push.example.com:8443',
    exp: 1_000 + 12 * 3_600,
    sub: 'https://vedette.example.com',
  })
  const point = bytes(publicKey)
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const verifier = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const
  expect(verify('sha256', Buffer.from(`${head}.${claims}`), verifier, bytes(signature ?? ''))).toBe(true)
  expect(verify('sha256', Buffer.from(`${head}.${claims}x`), verifier, bytes(signature ?? ''))).toBe(false)
})
