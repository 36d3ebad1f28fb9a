import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openScene, type Page, type Scene } from '../dom/scene.ts'
import { asOwner, watchRequests } from './editor.ts'

describe('a secret that is shown once', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  beforeAll(async () => {
    scene = await openScene()
    api = asOwner(scene)
  })
  afterAll(() => scene?.close())

  const openKeyForm = async (page: Page, name: string) => {
    await page.goto(`${scene.origin}/settings/keys`)
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill(name)
  }
  const createKey = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  const keysNamed = async (name: string) =>
    (await api.read('/v1/api-keys?limit=100')).api_keys.filter((key: { name: string }) => key.name === name)

  /** The answer is lost once, after the backend has done it. */
  const loseAnswer = (page: Page, path: string) =>
    page.route(path, async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await route.fetch()
      await route.abort()
      await page.unroute(path)
    })

  it('and was lost on the way is not made twice, and what it belongs to can be revoked', async () => {
    const page = scene.open()
    await openKeyForm(page, 'lost')
    await page.getByRole('dialog').getByLabel('Expires').selectOption({ label: 'In 30 days' })
    await loseAnswer(page, '**/v1/api-keys')
    await createKey(page)
    await page.getByRole('dialog').getByText('Vedette is not reachable.').waitFor()
    await createKey(page)
    await page.getByText('contained a secret, which is shown only once and not stored').waitFor()
    expect(await keysNamed('lost')).toMatchObject([{ revoked_at: null }])
    await page.getByRole('button', { name: 'Close' }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'lost' })
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.getByText('Revoked').waitFor()
    expect((await keysNamed('lost'))[0].revoked_at).not.toBeNull()
  })

  it('and was lost on the way is that of one invitation, which is seen and can be revoked', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/settings/members`)
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Email').fill('lost@example.com')
    await loseAnswer(page, '**/members/invite')
    for (const message of ['Vedette is not reachable.', 'contained a secret, which is shown only once and not stored']) {
      await dialog.getByRole('button', { name: 'Invite' }).click()
      await dialog.getByText(message).waitFor()
    }
    await page.getByRole('button', { name: 'Close' }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'lost@example.com' })
    await expect.poll(() => row.count()).toBe(1)
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Invitation revoked').waitFor()
    expect((await api.read(`/v1/organizations/${scene.organization.id}/invitations`)).invitations).not.toContainEqual(
      expect.objectContaining({ email: 'lost@example.com' }),
    )
  })

  it.each([
    ['Never', null],
    ['In 1 day', 1],
    ['In 30 days', 30],
    ['In 1 year', 365],
  ])('of a key that expires %s is sent with that time alone, and read is what it may do', async (label, days) => {
    const page = scene.open()
    const sent = watchRequests(page, 'POST')
    await openKeyForm(page, label)
    await page.getByRole('dialog').getByLabel('Expires').selectOption({ label })
    await createKey(page)
    await page.getByText(/^vdt_key_\w+$/).waitFor()
    expect(sent).toHaveLength(1)
    const [key] = await keysNamed(label)
    expect(key).toMatchObject({ scopes: ['read'], allowed_cidrs: [], ends_with_creator: false })
    const inDays = key.expires_at === null ? null : Math.round((Date.parse(key.expires_at) - Date.now()) / 86_400_000)
    expect(inDays).toBe(days)
  })

  it('is not shown where the backend fails, which is said in plain words and can be tried again', async () => {
    const page = scene.open()
    await openKeyForm(page, 'tried twice')
    await page.route(
      '**/v1/api-keys',
      (route) =>
        route.fulfill({
          status: 503,
          headers: { 'retry-after': '1' },
          json: { error: { code: 'unavailable', message: 'The database is not reachable.', request_id: 'x' } },
        }),
      { times: 1 },
    )
    await createKey(page)
    await page.getByRole('dialog').getByText('The database is not reachable.').waitFor()
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('tried twice')
    expect(await keysNamed('tried twice')).toEqual([])
    await createKey(page)
    await page.getByText(/^vdt_key_\w+$/).waitFor()
    expect(await keysNamed('tried twice')).toHaveLength(1)
  })
})
