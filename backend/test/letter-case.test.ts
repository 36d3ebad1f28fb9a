import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Credentials, registration, startTestBackend, type TestBackend } from './harness.ts'

const NAMES = ['ÄRGER', 'Zug', 'ärmel', 'ЖУК', 'Bahn', 'жара']
const BY_NAME = ['ÄRGER', 'ärmel', 'Bahn', 'Zug', 'жара', 'ЖУК']

let backend: TestBackend
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  const organization = await backend.organization()
  admin = await backend.apiKey(organization, 'admin')
  const agent = await backend.apiKey(organization, 'agent')
  for (const [index, name] of NAMES.entries()) {
    const body = { name, url: `https://${index}.example.com/` }
    await backend.call('POST', '/v1/monitors', { as: admin, body })
    const host = registration(`machine-${index}`, { hostname: `host-${index}` })
    const { server_id: id } = (await backend.call('POST', '/v1/agent/register', { as: agent, body: host })).body
    await backend.call('PATCH', `/v1/servers/${id}`, { as: admin, body: { display_name: name } })
  }
})
afterAll(() => backend.close())

it.each([
  ['monitors', 'name'],
  ['servers', 'display_name'],
])('%s are found and sorted without regard to the case of letters of all scripts', async (noun, field) => {
  const names = async (query: string) => {
    const { body } = await backend.call('GET', `/v1/${noun}?${query}`, { as: admin })
    return body[noun].map((entry: Record<string, unknown>) => entry[field])
  }
  expect(await names('sort=name')).toEqual(BY_NAME)
  expect(await names(`sort=name&q=${encodeURIComponent('är')}`)).toEqual(['ÄRGER', 'ärmel'])
  expect(await names(`sort=name&q=${encodeURIComponent('ÄR')}`)).toEqual(['ÄRGER', 'ärmel'])
  expect(await names(`sort=name&q=${encodeURIComponent('Ж')}`)).toEqual(['жара', 'ЖУК'])
})
