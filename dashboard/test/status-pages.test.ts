import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestIncident } from '../../backend/test/incident.ts'
import { pagesOf } from '../../backend/test/status-pages.ts'
import { asOwner, watchRequests } from './editors/editor.ts'
import { faultsOf, openScene, type Scene } from './dom/scene.ts'

describe('status pages', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  let visitors: ReturnType<typeof pagesOf>
  let shop: { id: string }
  beforeAll(async () => {
    scene = await openScene({ environment: {} })
    api = asOwner(scene)
    visitors = pagesOf(scene.backend, scene.organization, scene.owner)
    shop = await api.make('/v1/monitors', { name: 'shop-eu-1', url: 'https://shop.example.com/', tags: ['public'] })
  })
  afterAll(() => scene?.close())

  const visitorSees = (slug: string, text: string) =>
    expect
      .poll(async () => {
        await visitors.settle()
        return (await fetch(`${scene.origin}/status/${slug}`)).text()
      })
      .toContain(text)

  it('are made, previewed and published', { timeout: 120_000 }, async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/status-pages/add`)
    await page.getByLabel('Name', { exact: true }).fill(`Acme 0`)
    expect(await page.getByLabel('Address').inputValue()).toBe(`acme-0`)
    await page.getByLabel('Heading of section 1').fill('Services')
    await page.getByLabel('Search monitors').fill('shop')
    await page.getByRole('button', { name: 'shop-eu-1', exact: true }).click()
    await page.getByLabel('Public name of shop-eu-1').fill('Web shop')
    await page.getByText('Templates for posts').click()
    await page.getByRole('button', { name: 'Add template' }).click()
    await page.getByLabel('Name of template 1').fill('Outage')
    await page.getByLabel('Title of template 1').fill('Something is down')
    await page.getByLabel('Text of template 1').fill('We are looking at it.')
    await page.getByRole('button', { name: 'Create status page' }).click()
    const visitor = await fetch(`${scene.origin}/status/acme-0`)
    expect(visitor.status).toBe(404)
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Visitors can see the page.').waitFor()
    await visitorSees(`acme-0`, 'Web shop')
    const { status_pages: all } = await api.read('/v1/status-pages')
    expect(all).toHaveLength(1)
    expect(all[0]).toMatchObject({
      title: 'Acme 0',
      sections: [{ name: 'Services', monitors: [shop.id], names: { [shop.id]: 'Web shop' }, show: ['uptime'] }],
      published: true,
    })
    await page.goto(`${scene.origin}/status-pages`)
    await page.getByText('1 monitor').first().waitFor()
    await page.getByRole('link', { name: 'Create status page' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Acme 0')
    expect(await page.getByLabel('Address').inputValue()).toBe('acme-0-2')
  })

  it('send only what was changed, and show faults at their fields', { timeout: 60_000 }, async () => {
    const body = { name: 'Edited', slug: 'edited', title: 'Edited', sections: [{ name: 'All', tag: 'public' }] }
    const { id } = await api.make('/v1/status-pages', body)
    const page = scene.open()
    await page.goto(`${scene.origin}/status-pages/${id}/edit`)
    await page.getByLabel('Title', { exact: true }).fill('Edited, again')
    await page.getByLabel('Visible to').selectOption('password')
    await page.getByLabel('Own domain').fill('nowhere')
    await page.getByLabel('Heading of section 1').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('3 fields need a change.').waitFor()
    expect(Object.keys(await faultsOf(page))).toEqual(['Heading of section 1', 'Password of the page', 'Own domain'])
    await page.getByLabel('Heading of section 1').fill('All')
    await page.getByLabel('Visible to').selectOption('link')
    await page.getByLabel('Own domain').fill('status.example.com')
    const logo = { name: 'logo.png', mimeType: 'image/png', buffer: Buffer.alloc(200_001) }
    await page.getByLabel('Logo').setInputFiles(logo)
    await page.getByText('Choose a PNG, JPEG, WebP, GIF or SVG image').waitFor()
    await page.getByLabel('Logo').setInputFiles({ ...logo, buffer: Buffer.from('iVBORw0KGgoAAAAA', 'base64') })
    await page.getByRole('button', { name: 'Remove logo' }).waitFor()
    const sent = watchRequests(page, 'PATCH')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Check now' }).waitFor()
    expect(sent).toEqual([
      {
        path: `/v1/status-pages/${id}`,
        body: {
          title: 'Edited, again',
          visibility: 'link',
          domain: 'status.example.com',
          logo: 'data:image/png;base64,iVBORw0KGgoAAAAA',
        },
      },
    ])
    const before = (await api.read(`/v1/status-pages/${id}`)).url
    expect(before).toContain('?key=')
    await page.getByRole('button', { name: 'Renew key' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Renew key' }).click()
    await page.getByText('The address has a new key').waitFor()
    expect((await api.read(`/v1/status-pages/${id}`)).url).not.toBe(before)
  })

  it('announce an incident by its draft, with updates until it is resolved', { timeout: 120_000 }, async () => {
    const { backend, organization, origin } = scene
    const idIn = async (table: string) => (await backend.pool.pg.query(`select id from ${table} limit 1`)).rows[0].id
    const incident = await openTestIncident(backend, organization, {
      atMs: backend.clock.now() - 540_000,
      ruleId: await idIn('alert_rule'),
      target: { type: 'monitor', id: await idIn('monitor'), name: 'shop-eu-1' },
    })
    const page = scene.open()
    await page.goto(`${origin}/incidents/${incident}`)
    await page.getByRole('link', { name: 'Announce' }).click()
    await page.getByText('Choose the status page').waitFor()
    await page.getByRole('link', { name: 'Acme 0' }).click()
    await expect.poll(() => page.getByLabel('Title of the post').inputValue()).toContain('Web shop')
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).not.toContain('shop-eu-1')
    expect(await page.getByLabel('Web shop').isChecked()).toBe(true)
    await page.getByLabel('Template', { exact: true }).selectOption('Outage')
    await page.getByRole('button', { name: 'Publish post' }).click()
    await page.getByRole('heading', { level: 1, name: 'Something is down' }).waitFor()
    await visitorSees('acme-0', 'Something is down')
    await page.getByRole('button', { name: 'Add update' }).click()
    await page.getByText('One field needs a change.').waitFor()
    expect(Object.keys(await faultsOf(page))).toEqual(['Text of the update'])
    await page.getByLabel('Status of the post').selectOption('Identified')
    await page.getByLabel('Text of the update').fill('It is the cache.')
    await page.getByRole('button', { name: 'Add update' }).click()
    await page.getByText('Update published').first().waitFor()
    await page.getByRole('button', { name: 'Correct text' }).first().click()
    await page.getByLabel('Corrected text').fill('It is the data base.')
    await page.getByRole('button', { name: 'Save' }).click()
    await visitorSees('acme-0', 'It is the data base.')
    await page.getByRole('button', { name: 'Edit post' }).click()
    await page.getByLabel('Impact').selectOption('Critical impact')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Critical impact').waitFor()
    await page.getByLabel('Status of the post').selectOption('Resolved')
    await page.getByLabel('Text of the update').fill('All works again.')
    await page.getByRole('button', { name: 'Resolve' }).click()
    await page.getByRole('link', { name: 'Acme 0' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Something is down' }).getByText('Resolved').first().waitFor()
    await page.getByRole('listitem').getByRole('link', { name: 'Something is down' }).first().click()
    await page.getByRole('button', { name: 'Delete: Something is down' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No posts yet').waitFor()
  })

  it('announce a maintenance ahead', { timeout: 60_000 }, async () => {
    const page = scene.open()
    const { status_pages: all } = await api.read('/v1/status-pages')
    const { id } = all.find(({ slug }: { slug: string }) => slug === 'acme-0')
    await page.goto(`${scene.origin}/status-pages/${id}`)
    await page.getByRole('link', { name: 'Create post' }).click()
    await page.getByRole('button', { name: 'Maintenance' }).click()
    await page.getByLabel('Title of the post').fill('Upgrade of the shop')
    await page.getByLabel('Text', { exact: true }).fill('It is away for a moment.')
    const ends = await page.getByLabel('Ends').inputValue()
    await page.getByLabel('Ends').fill(await page.getByLabel('Starts').inputValue())
    await page.getByRole('button', { name: 'Publish post' }).click()
    await expect.poll(() => faultsOf(page)).toEqual({ Ends: 'must be after starts_at' })
    await page.getByLabel('Ends').fill(ends)
    await page.getByRole('button', { name: 'Publish post' }).click()
    await page.getByRole('heading', { level: 1, name: 'Upgrade of the shop' }).waitFor()
    const { posts } = await api.read(`/v1/status-pages/${id}/posts`)
    expect(posts).toMatchObject([{ type: 'maintenance', status: 'scheduled', impact: 'none' }])
  })

  it('are read by viewers and closed to their changes', async () => {
    const page = await scene.openAs('viewer')
    await page.goto(`${scene.origin}/status-pages/add`)
    await page.getByText('Only members, admins and owners can change status pages.').waitFor()
    await page.getByRole('link', { name: 'Status pages' }).first().click()
    await page.getByRole('link', { name: 'Acme 0' }).click()
    await page.getByRole('heading', { level: 1, name: 'Acme 0' }).waitFor()
    expect(await page.getByRole('button', { name: 'Unpublish' }).count()).toBe(0)
  })
})
