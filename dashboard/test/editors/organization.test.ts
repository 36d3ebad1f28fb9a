import { generate } from 'otplib/functional'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD } from '../../../backend/test/harness.ts'
import { faultsOf, openScene, type Page, type Scene } from '../dom/scene.ts'
import { asOwner, watchRequests } from './editor.ts'

const DAYS = 'New API keys expire within (days)'
const DEMAND = 'Members need two-factor authentication'

describe('an organization', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  let path: string
  beforeAll(async () => {
    scene = await openScene()
    api = asOwner(scene)
    path = `/v1/organizations/${scene.organization.id}`
  })
  afterAll(() => scene?.close())

  const open = async (page: Page, section: string) => {
    await page.goto(`${scene.origin}/settings/${section}`)
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
  }
  const emailOf = async (as: { authorization: string }): Promise<string> =>
    (await scene.backend.call('GET', '/v1/me', { as })).body.email
  /** Enables the second factor of a person. */
  const enableFactor = async (as: { authorization: string }) => {
    const { secret } = (await scene.backend.call('POST', '/v1/auth/totp', { as, body: {} })).body
    const code = await generate({ secret, epoch: Math.floor(scene.backend.clock.now() / 1000) })
    expect((await scene.backend.call('POST', '/v1/auth/totp', { as, body: { code } })).status).toBe(200)
  }

  describe('and its demands', () => {
    it('are sent where they changed, and not before', async () => {
      const page = scene.open()
      await open(page, 'organization')
      const sent = watchRequests(page, 'PATCH')
      const save = page.getByRole('button', { name: 'Save' })
      await page.getByLabel(DAYS).waitFor()
      expect(await save.isDisabled()).toBe(true)
      await page.getByLabel(DAYS).fill('90')
      await page.getByLabel(DAYS).fill('')
      expect(await save.isDisabled()).toBe(true)
      await page.getByLabel(DAYS).fill('365')
      await save.dblclick()
      await page.getByText('Changes saved').waitFor()
      expect(sent.map(({ body }) => body)).toEqual([{ api_key_max_days: 365 }])
      await api.change(path, { api_key_max_days: null })
    })

    it.each(['9e', '-', '12 days', '1,5', '0', '3651'])('do not take %s for a number of days, or for none', async (typed) => {
      const page = scene.open()
      await api.change(path, { api_key_max_days: 30 })
      await open(page, 'organization')
      await page.getByLabel(DAYS).click()
      await page.keyboard.press('Control+a')
      await page.keyboard.type(typed)
      await page.getByRole('button', { name: 'Save' }).click()
      await expect.poll(async () => Object.keys(await faultsOf(page))).toEqual([DAYS])
      expect((await api.read(path)).api_key_max_days).toBe(30)
      await api.change(path, { api_key_max_days: null })
    })

    it('bound a key that is being created meanwhile, which its field says', async () => {
      const page = scene.open()
      await open(page, 'keys')
      await page.getByRole('button', { name: 'Create key' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('unbounded')
      await api.change(path, { api_key_max_days: 7 })
      await dialog.getByRole('button', { name: 'Create key' }).click()
      await expect.poll(async () => Object.keys(await faultsOf(page))).toEqual(['Expires'])
      await dialog.getByLabel('Expires').selectOption({ label: 'In 1 day' })
      await dialog.getByRole('button', { name: 'Create key' }).click()
      await page.getByText(/^vdt_key_\w+$/).waitFor()
      await api.change(path, { api_key_max_days: null })
    })

    it('of a second factor need that of the owner first', async () => {
      const page = scene.open()
      await open(page, 'organization')
      await page.getByLabel(DEMAND).check()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Set up your own second factor first').waitFor()
      expect((await api.read(path)).require_second_factor).toBe(false)
    })

    it('of a second factor close every page to a member until it is set up', async () => {
      await enableFactor(scene.owner)
      const owner = scene.open()
      await open(owner, 'organization')
      const sent = watchRequests(owner, 'PATCH')
      await owner.getByLabel(DEMAND).check()
      await owner.getByRole('button', { name: 'Save' }).click()
      await owner.getByText('Changes saved').waitFor()
      expect(sent.map(({ body }) => body)).toEqual([{ require_second_factor: true }])
      const page = await scene.openAs('member')
      await page.goto(`${scene.origin}/monitors`)
      await page.getByRole('heading', { name: `${scene.organization.name} demands two-factor authentication` }).waitFor()
      expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Set up' }).click()
      const secret =
        (await page
          .getByText(/^[A-Z2-7]{16,}$/)
          .first()
          .textContent()) ?? ''
      const code = await generate({ secret, epoch: Math.floor(scene.backend.clock.now() / 1000) })
      await page.getByLabel('Code from the app').fill(code)
      await page.getByRole('button', { name: 'Enable' }).click()
      await page.getByRole('heading', { name: 'Monitors', level: 1 }).waitFor()
      await api.change(path, { require_second_factor: false })
    })
  })

  describe('and its members', () => {
    it('are invited once: an address that belongs already is refused in plain words', async () => {
      const email = await emailOf(await scene.backend.member(scene.organization, 'viewer'))
      const page = scene.open()
      await open(page, 'members')
      await page.getByRole('button', { name: 'Invite' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Email').fill(email.toUpperCase())
      await dialog.getByRole('button', { name: 'Invite' }).click()
      await dialog.getByText('is a member already').waitFor()
      expect(await dialog.getByLabel('Email').inputValue()).toBe(email.toUpperCase())
      expect((await api.read(`${path}/invitations`)).invitations).toEqual([])
    })

    it('have the role that the invitation had last, and the link before does not work any more', async () => {
      const page = scene.open()
      await open(page, 'members')
      const links: string[] = []
      for (const role of ['Admin', 'Viewer']) {
        await page.getByRole('button', { name: 'Invite' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel('Email').fill('twice@example.com')
        await dialog.getByLabel('Role').selectOption({ label: role })
        await dialog.getByRole('button', { name: 'Invite' }).dblclick()
        links.push((await page.getByText(/^http\S+token=/).textContent()) ?? '')
        await page.getByRole('button', { name: 'Done' }).click()
      }
      const row = page.getByRole('listitem').filter({ hasText: 'twice@example.com' })
      await expect.poll(() => row.allTextContents()).toEqual([expect.stringContaining('Viewer')])
      const accept = async (link = '') => {
        const body = { token: /token=([\w-]+)/.exec(link)?.[1], password: PASSWORD }
        return (await scene.backend.call('POST', '/v1/auth/invitations/accept', { body })).status
      }
      expect([await accept(links[0]), await accept(links[1])]).toEqual([404, 200])
      const { members } = await api.read(`${path}/members?limit=100`)
      expect(members.find(({ email }: { email: string }) => email === 'twice@example.com')).toMatchObject({ role: 'viewer' })
    })

    it('are granted no role above that of who grants it', async () => {
      const page = await scene.openAs('admin')
      await open(page, 'members')
      await page.getByRole('button', { name: 'Invite' }).click()
      const options = page.getByRole('dialog').getByLabel('Role').locator('option')
      expect(await options.allTextContents()).toEqual(['Viewer', 'Member', 'Admin'])
      await page.keyboard.press('Escape')
      const owner = page.getByRole('listitem').filter({ hasText: await emailOf(scene.owner) })
      expect([await owner.getByRole('combobox').count(), await owner.getByRole('button').count()]).toEqual([0, 0])
    })

    it('leave keys behind, which the question before their removal names', async () => {
      const admin = await scene.backend.member(scene.organization, 'admin')
      const email = await emailOf(admin)
      const key = { scopes: ['read'] }
      for (const body of [
        { ...key, name: 'stays' },
        { ...key, name: 'ends', ends_with_creator: true },
      ])
        await scene.backend.call('POST', '/v1/api-keys', { as: admin, body })
      const page = scene.open()
      await open(page, 'members')
      await page.getByRole('listitem').filter({ hasText: email }).getByRole('button', { name: 'Remove' }).click()
      const dialog = page.getByRole('dialog', { name: `Remove ${email}?` })
      await dialog.getByText('API keys that stay valid: stays.').waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      const { members } = await api.read(`${path}/members?limit=100`)
      expect(members.map((member: { email: string }) => member.email)).toContain(email)
    })
  })

  describe('of one owner', () => {
    let page: Page
    let id: string
    const name = 'Night watch'

    it('is created once, and shown', async () => {
      page = scene.open()
      await page.goto(`${scene.origin}/monitors`)
      await page.getByRole('button', { name: /^Organization/ }).click()
      await page.getByRole('menuitem', { name: 'New organization' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Create organization' }).click()
      await page.getByText('One field needs a change.').waitFor()
      await dialog.getByLabel('Name').fill(name)
      await dialog.getByRole('button', { name: 'Create organization' }).dblclick()
      await page.getByRole('heading', { name: 'Nothing is monitored yet', level: 1 }).waitFor()
      await page.getByRole('button', { name: `Organization: ${name}` }).waitFor()
      const { organizations } = (await scene.backend.call('GET', '/v1/me', { as: scene.owner })).body
      const created = organizations.filter((each: { name: string }) => each.name === name)
      expect(created).toMatchObject([{ role: 'owner' }])
      id = created[0].id
    })

    it('keeps its last owner, who neither leaves nor becomes less', async () => {
      await page.goto(`${scene.origin}/settings/members`)
      const email = await emailOf(scene.owner)
      await page.getByLabel(`Role: ${email}`).selectOption({ label: 'Viewer' })
      await page.getByLabel('Messages').getByText('An organization needs at least one owner.').first().waitFor()
      await expect.poll(() => page.getByLabel(`Role: ${email}`).inputValue()).toBe('owner')
      await page.getByRole('button', { name: 'Leave' }).click()
      const dialog = page.getByRole('dialog', { name: 'Leave this organization?' })
      await dialog.getByRole('button', { name: 'Leave' }).click()
      await dialog.getByText('An organization needs at least one owner.').waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
    })

    it('keeps the account of its last owner, and says why', async () => {
      await page.goto(`${scene.origin}/settings/security`)
      await page.getByLabel('Your password').last().fill(PASSWORD)
      await page.getByRole('button', { name: 'Delete account' }).click()
      await page.getByText(`You are the only owner of ${name}.`).waitFor()
      expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(true)
    })

    it('is deleted after its name was typed, and another one is shown', async () => {
      await page.goto(`${scene.origin}/settings/organization`)
      await page.getByRole('button', { name: 'Delete organization' }).click()
      const dialog = page.getByRole('dialog')
      const remove = dialog.getByRole('button', { name: 'Delete organization' })
      for (const typed of ['', 'night watch', scene.organization.name]) {
        await dialog.getByRole('textbox').fill(typed)
        expect(await remove.isDisabled()).toBe(true)
      }
      await dialog.getByRole('textbox').fill(name)
      await remove.click()
      await page.getByText('Organization deleted').waitFor()
      await page.getByRole('button', { name: `Organization: ${scene.organization.name}` }).waitFor()
      await page.getByRole('heading', { name: 'Nothing is monitored yet', level: 1 }).waitFor()
      expect((await scene.backend.call('GET', `/v1/organizations/${id}`, { as: scene.owner })).status).toBeGreaterThan(400)
    })
  })
})
