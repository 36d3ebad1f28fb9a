import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'

let backend: TestBackend
let as: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  const organization = await backend.organization()
  await backend.pool.pg.query("update organization set plan = 'free' where number = $1", [organization.number])
  as = await backend.member(organization, 'owner')
})
afterAll(() => backend.close())

const post = (path: string, body?: object) => backend.call('POST', `/v1/${path}`, { as, ...(body && { body }) })

it.each([
  ['monitor', 20, 'monitors', { url: 'https://shop.example.com', interval: 60 }],
  ['alert_source', 100, 'alert sources', { type: 'generic' }],
])('a change set says that there would be more of the kind %s than %d', async (kind, max, noun, spec) => {
  const propose = async (count: number) => {
    const resources = Array.from({ length: count }, (_, index) => ({
      kind,
      ref: `r${index}`,
      spec: { ...spec, name: `R${index}` },
    }))
    const { status, body } = await post('change-sets', { owner: `git:${kind}`, resources })
    expect([status, body.steps.filter(({ refused }: { refused: string | null }) => refused !== null)]).toEqual([201, []])
    return body
  }
  const more = await propose(max + 1)
  expect(more.warnings).toEqual([
    `there would be ${max + 1} ${noun}, and the organization may have ${max}: it cannot be applied as a whole`,
  ])
  const refused = await post(`change-sets/${more.id}/apply`)
  expect(['conflict', 'plan_limit_reached']).toContain(refused.body.error.code)
  const fits = await propose(max)
  expect(fits.warnings).toEqual([])
  expect((await post(`change-sets/${fits.id}/apply`)).status).toBe(200)
})
