import { beforeEach, describe, expect, it } from 'vitest'
import { startIdentityProvider } from '../../../../test/identity-provider.ts'
import { addProvider, begin, callBack } from '../../../../test/provider-sign-in.ts'
import { refusalOf, refused, type Scene, useScene } from './scene.ts'

const scene = useScene()
let backend: Scene['backend']
let owner: Scene['owner']
let provider: Scene['provider']
let id: Scene['id']
beforeEach(() => {
  ;({ backend, owner, provider, id } = scene)
})

const NOT_BEGUN = 'was not begun in this browser'

describe('forged answers', () => {
  it('a code of another issuer is refused [IDP-01]', async () => {
    const other = await startIdentityProvider(() => backend.clock.now())
    try {
      const begun = await begin(backend, id)
      const query = other.grant(begun.location)
      query.set('iss', provider.issuer)
      expect(await refusalOf(scene, await callBack(backend, begun, query))).toEqual(refused(401, 'invalid_grant'))
    } finally {
      await other.close()
    }
  })

  it.each([
    ['another issuer', 'https://evil.example'],
    ['no issuer, though the provider sends it', undefined],
  ])('a mix-up is refused: %s (RFC 9207)', async (_what, iss) => {
    const begun = await begin(backend, id)
    const query = provider.grant(begun.location)
    if (iss === undefined) query.delete('iss')
    else query.set('iss', iss)
    expect(await refusalOf(scene, await callBack(backend, begun, query))).toEqual(refused(401, '"iss" (issuer)'))
    expect(provider.requests).not.toContain('/token')
  })

  it('the callback of another provider is refused [IDP-02]', async () => {
    const second = await addProvider(backend, owner, provider.issuer)
    const begun = await begin(backend, id)
    expect(await refusalOf(scene, await callBack(backend, { ...begun, id: second }, provider.grant(begun.location)))).toEqual(
      refused(401, NOT_BEGUN),
    )
  })

  it('a state is good once [IDP-03]', async () => {
    const begun = await begin(backend, id)
    const query = provider.grant(begun.location)
    expect((await callBack(backend, begun, query)).status).toBe(302)
    expect(await refusalOf(scene, await callBack(backend, begun, query))).toEqual(refused(401, NOT_BEGUN))
    expect(await refusalOf(scene, await callBack(backend, begun, provider.grant(begun.location)))).toEqual(
      refused(401, NOT_BEGUN),
    )
  })

  it('a browser gets a page that says why, and no script of what it brought [IDP-04]', async () => {
    const path = `/v1/auth/oidc/${id}/callback?state=%3Cscript%3E&error=access_denied&error_description=%3Cscript%3E`
    const answer = await backend.vedette.app.inject({ method: 'GET', url: path, headers: { accept: 'text/html,*/*' } })
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8'])
    expect(answer.body).toContain('This sign-in was not begun in this browser')
    expect(answer.body).not.toContain('<script')
    const inGerman = { accept: 'text/html,*/*', 'accept-language': 'de-DE,de;q=0.9' }
    const german = await backend.vedette.app.inject({ method: 'GET', url: path, headers: inGerman })
    expect(german.body).toMatch(/<html lang="de">.*Du bist nicht angemeldet.*nicht in diesem Browser begonnen/)
    const url = `${path}&code=`
    const incomplete = await backend.vedette.app.inject({ method: 'GET', url, headers: inGerman })
    expect(incomplete.statusCode).toBe(400)
    expect(incomplete.body).toContain('Die Adresse dieser Seite ist nicht vollständig.')
  })

  it('of two callbacks with one state at once one opens a session [IDP-05]', async () => {
    const begun = await begin(backend, id)
    const queries = [provider.grant(begun.location), provider.grant(begun.location)]
    const answers = await Promise.all(queries.map((query) => callBack(backend, begun, query)))
    expect(answers.map(({ status }) => status).sort((one, other) => one - other)).toEqual([302, 401])
  })

  it('the state of another browser is refused, which does not use it up [IDP-06]', async () => {
    const [mine, theirs] = [await begin(backend, id), await begin(backend, id)]
    expect(
      await refusalOf(scene, await callBack(backend, { ...mine, cookie: theirs.cookie }, provider.grant(mine.location))),
    ).toEqual(refused(401, NOT_BEGUN))
    expect(await refusalOf(scene, await callBack(backend, { ...mine, cookie: '' }, provider.grant(mine.location)))).toEqual(
      refused(401, NOT_BEGUN),
    )
    expect((await callBack(backend, mine, provider.grant(mine.location))).status).toBe(302)
  })

  it('an unknown state, one that is too old, and none are refused [IDP-07]', async () => {
    const begun = await begin(backend, id)
    expect(await refusalOf(scene, await callBack(backend, begun, 'code=a&state=b'))).toEqual(refused(401, NOT_BEGUN))
    expect(await refusalOf(scene, await callBack(backend, begun, 'code=a'))).toEqual(refused(401, NOT_BEGUN))
    const query = provider.grant(begun.location)
    backend.clock.advance(600_000)
    expect(await refusalOf(scene, await callBack(backend, begun, query))).toEqual(refused(401, NOT_BEGUN))
  })

  it.each([
    ['a state that is too long', `code=a&state=${'s'.repeat(201)}`],
    ['two states', 'code=a&state=b&state=c'],
    ['a code that is too long', `code=${'c'.repeat(4_097)}&state=b`],
  ])('%s is refused as a bad request', async (_what, query) => {
    expect((await callBack(backend, await begin(backend, id), query)).status).toBe(400)
  })

  it('an error of the provider and a callback without a code are refused [IDP-08]', async () => {
    const cases: [Record<string, string>, string][] = [
      [{ error: 'access_denied' }, 'access_denied'],
      [{}, 'no authorization code'],
    ]
    for (const [change, reason] of cases) {
      const begun = await begin(backend, id)
      const query = provider.grant(begun.location)
      query.delete('code')
      for (const [name, value] of Object.entries(change)) query.set(name, value)
      expect(await refusalOf(scene, await callBack(backend, begun, query))).toEqual(refused(401, reason))
    }
    expect(provider.requests).not.toContain('/token')
  })

  it('a code that was made for another PKCE challenge is refused by the provider [IDP-09]', async () => {
    const [mine, theirs] = [await begin(backend, id), await begin(backend, id)]
    const query = provider.grant(theirs.location)
    query.set('state', new URL(mine.location).searchParams.get('state') ?? '')
    expect(await refusalOf(scene, await callBack(backend, mine, query))).toEqual(refused(401, 'invalid_grant'))
  })

  it('a provider whose PKCE has no S256 is not used [IDP-10]', async () => {
    provider.publish({ code_challenge_methods_supported: ['plain'] })
    expect((await backend.call('GET', `/v1/auth/oidc/${id}/start`)).status).toBe(503)
  })

  it('a discovery document of another issuer is not used [IDP-11]', async () => {
    provider.publish({ issuer: 'https://evil.example' })
    expect((await backend.call('GET', `/v1/auth/oidc/${id}/start`)).status).toBe(503)
  })
})
