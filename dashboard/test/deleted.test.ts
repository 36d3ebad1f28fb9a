import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOwner } from './editors/editor.ts'
import { openScene, type Scene } from './dom/scene.ts'

const TARGET = { type: 'monitor' }
const DOWN = { metric: 'status', operator: 'equals', value: 'down' }
const HOURS = { starts_at: '2020-01-06T08:00:00.000Z', ends_at: '2020-01-06T09:00:00.000Z' }
const PROVIDER = { issuer: 'https://id.example.com', client_id: 'c', client_secret: 's', email_domains: ['example.com'] }

/** The page with the list, the path of the API, and what makes one. */
const KINDS = [
  ['/alerts/rules', '/v1/alert-rules', () => ({ target: TARGET, condition: DOWN })],
  ['/alerts/channels', '/v1/channels', () => ({ type: 'webhook', config: { url: 'https://hooks.example.com/' } })],
  ['/alerts/maintenance', '/v1/maintenance-windows', () => ({ target: TARGET, ...HOURS })],
  ['/alerts/policies', '/v1/escalation-policies', (user: string) => ({ steps: [{ user_ids: [user] }] })],
  ['/alerts/on-call', '/v1/schedules', () => ({})],
  ['/slos', '/v1/slos', () => ({ objective: 99, target: { tag: 'shop' } })],
  ['/status-pages', '/v1/status-pages', () => ({ title: 'Gone', slug: `page-${randomUUID()}` })],
  ['/settings/organization', '/v1/identity-providers', () => PROVIDER],
] as const

describe('below a list', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  beforeAll(async () => {
    scene = await openScene({ environment: {} })
    api = asOwner(scene)
  })
  afterAll(() => scene?.close())

  it.each(KINDS)('%s what was deleted is shown once somebody asks, and restored', async (path, url, body) => {
    const { backend, owner, origin } = scene
    const me = (await api.read('/v1/me')).id
    const { id } = await api.make(url, { name: 'Gone', ...body(me) })
    expect((await backend.call('DELETE', `${url}/${id}`, { as: owner })).status).toBe(204)
    const page = scene.open()
    await page.goto(origin + path)
    await page.getByRole('button', { name: 'Show deleted' }).click()
    await page.getByRole('button', { name: 'Restore: Gone' }).click()
    await page.getByText('Gone restored').waitFor()
    await page.getByText('Nothing was deleted in the last 30 days').waitFor()
    expect((await backend.call('GET', `${url}/${id}`, { as: owner })).status).toBe(200)
    await expect.poll(() => page.getByText('Gone', { exact: true }).count()).toBeGreaterThan(0)
  })

  it('viewers see what was deleted, and restore nothing', async () => {
    const { id } = await api.make('/v1/channels', {
      name: 'Pager',
      type: 'webhook',
      config: { url: 'https://hooks.example.com/' },
    })
    await scene.backend.call('DELETE', `/v1/channels/${id}`, { as: scene.owner })
    const page = await scene.openAs('viewer')
    await page.goto(`${scene.origin}/alerts/channels`)
    await page.getByRole('button', { name: 'Show deleted' }).click()
    await page.getByText('Pager').waitFor()
    expect(await page.getByRole('button', { name: /Restore/ }).count()).toBe(0)
  })

  it('reports no fault of a script', () => expect(scene.complaints).toEqual([]))
})
