import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { push, SETTLED_MS, startReceiver } from './scene.ts'

let backend: TestBackend
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => {
  receiver = await startReceiver()
  // The operator's own target needs no VEDETTE_ALLOW_PRIVATE_TARGETS.
  const environment = { VEDETTE_OTLP_URL: receiver.url, VEDETTE_OTLP_HEADERS: 'authorization=Bearer%20s3cret%2Cx, x-scope=main' }
  backend = await startTestBackend({ startMs: Date.now(), environment })
})
afterAll(async () => {
  await receiver.close()
  await backend.close()
})

const exportsOf = async (as: Credentials) => (await backend.call('GET', '/v1/exports', { as })).body.exports

it('VEDETTE_OTLP_URL makes an export of each organization, which nobody changes', async () => {
  const organizations = [await backend.organization(), await backend.organization()]
  const owners = await Promise.all(organizations.map((one) => backend.member(one, 'owner')))
  const agents = await Promise.all(organizations.map((one) => backend.server(one)))
  await backend.jobs.sendExports()
  for (const agent of agents) await push(backend, agent.as)
  backend.clock.advance(SETTLED_MS)
  await backend.jobs.sendExports()
  const bodies = receiver.received.map(({ body }) => gunzipSync(body).toString('latin1'))
  expect(agents.map(({ id }) => bodies.filter((body) => body.includes(id)).length)).toEqual([1, 1])
  expect(receiver.received.map(({ headers }) => [headers['authorization'], headers['x-scope']])).toEqual(
    agents.map(() => ['Bearer s3cret,x', 'main']),
  )

  const [as] = owners as [Credentials]
  const [one, ...others] = await exportsOf(as)
  expect(others).toEqual([])
  const managed = { owner: 'setting:VEDETTE_OTLP_URL', ref: 'VEDETTE_OTLP_URL', file: null, line: null }
  expect(one).toMatchObject({ name: 'VEDETTE_OTLP_URL', kind: 'otlp', url: receiver.url, headers: {}, managed })
  expect(one.state.samples_sent).toBeGreaterThan(5)
  for (const answer of [
    await backend.call('PATCH', `/v1/exports/${one.id}`, { as, body: { enabled: false } }),
    await backend.call('DELETE', `/v1/exports/${one.id}`, { as }),
  ])
    expect([answer.status, answer.body.error.message]).toEqual([
      409,
      'This export is made from the setting VEDETTE_OTLP_URL: change it there.',
    ])
  // It is none of the five of an organization.
  const create = () => backend.call('POST', '/v1/exports', { as, body: { name: 'x', kind: 'otlp', url: 'https://example.com/' } })
  expect(await Promise.all(Array.from({ length: 5 }, async () => (await create()).status))).toEqual([201, 201, 201, 201, 201])
  expect((await create()).status).toBe(409)
})

it('VEDETTE_OTLP_URL is followed by its exports when it changes, and without it they are gone', async () => {
  const as = await backend.member(await backend.organization(), 'owner')
  const urls = async (url: string | undefined) => {
    const again = await startTestBackend({
      databaseUrl: backend.databaseUrl,
      clock: backend.clock,
      ...(url !== undefined && { environment: { VEDETTE_OTLP_URL: url } }),
    })
    await again.jobs.sendExports()
    await again.close()
    return (await exportsOf(as)).map((one: { url: string }) => one.url)
  }
  expect(await urls('http://127.0.0.1:1/other')).toEqual(['http://127.0.0.1:1/other'])
  expect(await urls(undefined)).toEqual([])
})
