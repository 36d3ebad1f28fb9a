import { DAY_MS } from '@vedette/shared'
import { beforeEach, describe, expect, it } from 'vitest'
import { addProvider, proveDomains } from '../../../../test/provider-sign-in.ts'
import { type Scene, useScene } from './scene.ts'

const scene = useScene()
let backend: Scene['backend']
let owner: Scene['owner']
let id: Scene['id']
let domain: string
beforeEach(async () => {
  ;({ backend, owner, id } = scene)
  domain = `d${scene.organization.number}.example`
  backend.txtRecords.clear()
  await change({ email_domains: [domain] })
})

const change = (body: object) => backend.call('PATCH', `/v1/identity-providers/${id}`, { as: owner, body })
const read = async () => (await backend.call('GET', `/v1/identity-providers/${id}`, { as: owner })).body
const offered = async (email: string) =>
  (await backend.call('POST', '/v1/auth/oidc/providers', { body: { email } })).body.identity_providers.length
const actions = async () =>
  (await backend.call('GET', '/v1/audit-events?limit=5', { as: owner })).body.audit_events.map(
    ({ action }: { action: string }) => action,
  )
const record = (name: string) => `_vedette-domain.${name}`

describe('an e-mail domain of an identity provider', () => {
  it('is offered at the sign-in once its TXT record has the token of the provider', async () => {
    const { domain_token: token, domains } = await read()
    expect([token, domains]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), [{ name: domain, proved_at: null }]])
    await backend.jobs.checkProviderDomains()
    expect(await offered(`ada@${domain}`)).toBe(0)
    backend.txtRecords.set(record(domain), ['of another service', token])
    // Each minute for an hour after the change.
    backend.clock.advance(60_000)
    await backend.jobs.checkProviderDomains()
    const provedAt = new Date(backend.clock.now()).toISOString()
    expect([(await read()).domains, await offered(`ada@${domain}`)]).toEqual([[{ name: domain, proved_at: provedAt }], 1])
    expect((await actions())[0]).toBe('identity_provider.domain_proved')
  })

  it('is not offered for the provider of another organization, which has another token', async () => {
    const other = await backend.organization()
    const eve = await backend.member(other, 'owner')
    await addProvider(backend, eve, scene.provider.issuer, { email_domains: [domain] })
    await proveDomains(backend, owner, id)
    const { body } = await backend.call('POST', '/v1/auth/oidc/providers', { body: { email: `ada@${domain}` } })
    expect(body.identity_providers).toEqual([
      { id, name: 'Example', organization: scene.organization.name, host: new URL(scene.provider.issuer).host },
    ])
  })

  it('stays proved while a lookup fails or another domain is added, and for a week without its record', async () => {
    await proveDomains(backend, owner, id)
    await change({ email_domains: [domain, `sub.${domain}`] })
    expect((await read()).domains.map(({ proved_at: at }: { proved_at: string | null }) => at !== null)).toEqual([true, false])
    backend.txtRecords.clear()
    for (let day = 0; day < 7; day += 1) {
      await backend.jobs.checkProviderDomains()
      expect([day, await offered(`ada@${domain}`)]).toEqual([day, 1])
      backend.clock.advance(DAY_MS)
    }
    await backend.jobs.checkProviderDomains()
    expect(await offered(`ada@${domain}`)).toBe(0)
    const { body } = await backend.call('GET', '/v1/audit-events?limit=2', {
      as: await backend.apiKey(scene.organization, 'admin'),
    })
    expect(body.audit_events[1]).toMatchObject({ action: 'identity_provider.domain_lost', details: { domain } })
  })

  it('is looked up again where it was taken away and added again', async () => {
    await proveDomains(backend, owner, id)
    backend.txtRecords.clear()
    await change({ email_domains: ['example.com'] })
    await change({ email_domains: [domain] })
    await backend.jobs.checkProviderDomains()
    expect(await offered(`ada@${domain}`)).toBe(0)
  })
})
