import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Credentials,
  startTestBackend,
  TEST_SECRET,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { OFF_PATH, summaryEncrypter, unsubscribeUrl } from '../link.ts'

let backend: TestBackend
let [organization, other]: TestOrganization[] = []
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization('Shop')
  other = await backend.organization('Other')
})
afterAll(() => backend.close())

type Member = Awaited<ReturnType<TestBackend['member']>>
const set = (as: Member, body: object, { id }: { id: string } = organization as TestOrganization) =>
  backend.call('PATCH', `/v1/organizations/${id}/membership`, { as, body })
const member = (role: 'viewer' | 'owner' = 'viewer') => backend.member(organization as TestOrganization, role)
const isOn = async (as: Member): Promise<boolean> =>
  (await backend.call('GET', '/v1/me', { as })).body.organizations[0].weekly_summary

describe('the weekly summary', () => {
  it('is off until a member turns it on for themselves, whatever their role', async () => {
    const [ada, eve] = [await member(), await member('owner')]
    expect(await isOn(ada)).toBe(false)
    const { status, body } = await set(ada, { weekly_summary: true })
    expect([status, body]).toMatchObject([200, { id: organization?.id, role: 'viewer', weekly_summary: true }])
    expect([await isOn(ada), await isOn(eve)]).toEqual([true, false])
    expect((await set(ada, {})).body.weekly_summary).toBe(true)
    expect((await set(ada, { weekly_summary: false })).body.weekly_summary).toBe(false)
    expect(await isOn(ada)).toBe(false)
  })

  it('cannot be set by keys or servers, in another organization, or with another field', async () => {
    const ada = await member()
    const url = `/v1/organizations/${organization?.id}/membership`
    const refused = async (as: Credentials) => (await backend.call('PATCH', url, { as, body: { weekly_summary: true } })).status
    const shop = organization as TestOrganization
    expect(await refused({})).toBe(401)
    expect(await refused(await backend.apiKey(shop, 'admin', 'read', 'write'))).toBe(403)
    expect(await refused((await backend.server(shop)).as)).toBe(403)
    expect((await set(ada, { weekly_summary: true }, other)).status).toBe(404)
    const { status, body } = await set(ada, { weekly_summary: 'yes', role: 'owner' })
    expect([status, body.error.details.map(({ path }: { path: string }) => path).sort()]).toEqual([
      400,
      ['role', 'weekly_summary'],
    ])
  })

  it('ends with the membership', async () => {
    const ada = await member()
    await set(ada, { weekly_summary: true })
    const { db } = backend.pool
    await db.deleteFrom('membership').where('user_id', '=', ada.userId).execute()
    expect(await db.selectFrom('weekly_summary').select('user_id').where('user_id', '=', ada.userId).execute()).toEqual([])
  })
})

describe('the link that turns it off', () => {
  const encrypter = summaryEncrypter(createSecrets([TEST_SECRET]))
  const linkOf = ({ userId }: Member) => unsubscribeUrl(encrypter, '', { organization: organization?.number ?? 0, userId })
  const html = { accept: 'text/html' }

  it('shows a page without acting, and acts by the POST of its form', async () => {
    const [ada, eve] = [await member(), await member()]
    for (const one of [ada, eve]) await set(one, { weekly_summary: true })
    const page = await backend.call('GET', linkOf(ada), { headers: html })
    expect([page.status, page.headers['content-type'], page.headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ])
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none';.*form-action 'self'/)
    expect(page.body).toContain('<form method="post">')
    expect(await isOn(ada)).toBe(true)
    const headers = { ...html, 'content-type': 'application/x-www-form-urlencoded' }
    for (let times = 0; times < 2; times += 1) {
      const done = await backend.call('POST', linkOf(ada), { headers, body: '' })
      expect([done.status, done.body]).toEqual([200, expect.stringContaining('is off')])
    }
    expect([await isOn(ada), await isOn(eve)]).toEqual([false, true])
  })

  it('has pages in the language of its organization, and of the browser where it is not valid', async () => {
    const german = await backend.organization('Laden')
    const as = await backend.member(german, 'owner')
    await backend.call('PATCH', `/v1/organizations/${german.id}`, { as, body: { language: 'de' } })
    const link = unsubscribeUrl(encrypter, '', { organization: german.number, userId: as.userId })
    expect((await backend.call('GET', link)).body).toMatch(/<html lang="de">.*Wochenbericht abschalten\?.*>Abschalten<\/button>/)
    expect((await backend.call('POST', link)).body).toMatch(/<html lang="de">.*Der Wochenbericht ist abgeschaltet/)
    const headers = { 'accept-language': 'de' }
    expect((await backend.call('GET', `${OFF_PATH}?token=x`, { headers })).body).toMatch(/<html lang="de">.*gilt nicht/)
    expect((await backend.call('GET', `${OFF_PATH}?token=x`)).body).toMatch(/<html lang="en">.*is not valid/)
  })

  it.each([
    ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
    ],
  ])('takes the one click of a mail program as %s', async (type, body) => {
    const ada = await member()
    await set(ada, { weekly_summary: true })
    expect((await backend.call('POST', linkOf(ada), { headers: { 'content-type': type }, body })).status).toBe(200)
    expect(await isOn(ada)).toBe(false)
  })

  it.each(['', '?token=', '?token=nonsense', '?token=a&token=b'])(
    'of another form (%s) is a 404 and changes nothing',
    async (query) => {
      const ada = await member()
      await set(ada, { weekly_summary: true })
      for (const method of ['GET', 'POST']) expect((await backend.call(method, `${OFF_PATH}${query}`)).status).toBe(404)
      const changed = linkOf(ada).replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))
      expect((await backend.call('POST', changed)).status).toBe(404)
      const foreign = unsubscribeUrl(summaryEncrypter(createSecrets(['another secret that has more than 32 bytes'])), '', {
        organization: organization?.number ?? 0,
        userId: ada.userId,
      })
      expect((await backend.call('POST', foreign)).status).toBe(404)
      expect(await isOn(ada)).toBe(true)
    },
  )
})

describe('saved views', () => {
  const view = (own: object = {}) => ({ list: 'monitors', name: 'Broken', query: 'status=down&tag=shop', ...own })
  const saved = async (as: Member) => (await backend.call('GET', '/v1/me', { as })).body.organizations[0].saved_views

  it('are those of one member in one organization', async () => {
    const [ada, eve] = [await member(), await member('owner')]
    const views = [view(), view({ list: 'servers', query: '' })]
    expect((await set(ada, { saved_views: views })).body).toMatchObject({ saved_views: views, weekly_summary: false })
    await set(ada, { weekly_summary: true })
    expect([await saved(ada), await saved(eve)]).toEqual([views, []])
    await set(ada, { saved_views: [] })
    expect(await saved(ada)).toEqual([])
  })

  it.each([
    ['saved_views', Array.from({ length: 51 }, () => view())],
    ['saved_views.0.name', [view({ name: 'a'.repeat(61) })]],
    ['saved_views.0.name', [view({ name: ' ' })]],
    ['saved_views.0.query', [view({ query: 'a'.repeat(2_001) })]],
    ['saved_views.0.list', [view({ list: 'incidents' })]],
    ['saved_views.0.color', [view({ color: 'red' })]],
  ])('with a wrong %s are refused by name, and nothing changes', async (path, saved_views) => {
    const ada = await member()
    const { status, body } = await set(ada, { saved_views, weekly_summary: true })
    expect([status, body.error.details[0].path]).toEqual([400, path])
    expect([await saved(ada), await isOn(ada)]).toEqual([[], false])
  })
})
