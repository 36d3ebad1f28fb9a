import { exportSPKI, SignJWT } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { startIdentityProvider } from '../../../../test/identity-provider.ts'
import { begin, callBack, signIn } from '../../../../test/provider-sign-in.ts'
import { refusalOf, refused, type Scene, useScene } from './scene.ts'

const scene = useScene()
let backend: Scene['backend']
let provider: Scene['provider']
let id: Scene['id']
beforeEach(() => {
  ;({ backend, provider, id } = scene)
})

describe('forged ID tokens', () => {
  const seconds = () => Math.floor(backend.clock.now() / 1000)
  const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it.each<[string, Record<string, unknown>, string]>([
    ['the nonce of another sign-in', { nonce: 'another' }, '"nonce" claim value'],
    ['no nonce', { nonce: undefined }, '(nonce) claim missing'],
    ['another audience', { aud: 'another' }, 'unexpected JWT "aud"'],
    ['several audiences without azp', { aud: ['vedette', 'another'] }, 'additional untrusted audiences'],
    ['another authorized party', { azp: 'another' }, 'for another client'],
    ['another issuer', { iss: 'https://evil.example' }, 'unexpected JWT "iss"'],
    ['no subject', { sub: undefined }, '(subject) claim missing'],
    ['a subject that is too long', { sub: 's'.repeat(256) }, 'the subject is not valid'],
  ])('one with %s is refused', async (_what, claims, reason) => {
    expect(await refusalOf(scene, await signIn(backend, id, provider, { claims }))).toEqual(refused(401, reason))
  })

  it.each<[string, (now: number) => Record<string, unknown>, string]>([
    ['that has expired', (now) => ({ iat: now - 700, exp: now - 60 }), 'expiration is past'],
    ['that is not valid yet', (now) => ({ nbf: now + 120 }), '(not before)'],
    ['without an expiry', () => ({ exp: undefined }), '(expiration time) claim missing'],
  ])('one %s is refused', async (_what, change, reason) => {
    expect(await refusalOf(scene, await signIn(backend, id, provider, { claims: change(seconds()) }))).toEqual(
      refused(401, reason),
    )
  })

  it('one without a signature is refused (alg none) [IDP-12]', async () => {
    const idToken = (claims: object) => `${base64({ alg: 'none' })}.${base64(claims)}.`
    expect(await refusalOf(scene, await signIn(backend, id, provider, { idToken }))).toEqual(refused(401, '"alg" header'))
  })

  it('one that is signed with the public key, or the client secret, as a shared secret is refused (HS256) [IDP-13]', async () => {
    for (const secret of [await exportSPKI(provider.publicKey()), 'a secret of the client']) {
      const idToken = (claims: object) =>
        new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret.padEnd(32)))
      expect(await refusalOf(scene, await signIn(backend, id, provider, { idToken }))).toEqual(refused(401, '"alg" header'))
    }
  })

  it('one that another key signed is refused, also with the id of the right one [IDP-14]', async () => {
    const begun = await begin(backend, id)
    const other = await startIdentityProvider(() => backend.clock.now())
    try {
      const kid = JSON.parse(Buffer.from((await provider.sign({})).split('.')[0] ?? '', 'base64url').toString()).kid
      for (const [header, reason] of [
        [{}, 'no applicable keys'],
        [{ kid }, 'signature verification failed'],
      ] as const) {
        const next = await begin(backend, id)
        const query = provider.grant(next.location, { idToken: (claims) => other.sign(claims, header) })
        expect(await refusalOf(scene, await callBack(backend, next, query))).toEqual(refused(401, reason))
      }
    } finally {
      await other.close()
    }
    expect((await callBack(backend, begun, provider.grant(begun.location))).status).toBe(302)
  })

  it('one whose claims were changed after it was signed is refused [IDP-15]', async () => {
    const idToken = async (claims: object) => {
      const [head, , signature] = (await provider.sign(claims as never)).split('.')
      return `${head}.${base64({ ...claims, email: 'boss@example.com' })}.${signature}`
    }
    expect(await refusalOf(scene, await signIn(backend, id, provider, { idToken }))).toEqual(
      refused(401, 'signature verification failed'),
    )
  })

  it('userinfo of another subject is refused [IDP-16]', async () => {
    const userinfo = { sub: 'eve', email: 'ada@example.com', email_verified: true }
    expect(await refusalOf(scene, await signIn(backend, id, provider, { claims: { email: undefined }, userinfo }))).toEqual(
      refused(401, '"sub" property'),
    )
  })
})
