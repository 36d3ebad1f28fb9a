import { generate } from 'otplib/functional'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, registration } from '../../../backend/test/harness.ts'
import { faultsOf, hasFocus, openScene, type Page, type Scene } from '../dom/scene.ts'
import { asOwner, watchRequests } from './editor.ts'

describe('the settings', () => {
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

  describe('of API keys', () => {
    const openForm = async (page: Page) => {
      await open(page, 'keys')
      await page.getByRole('button', { name: 'Create key' }).click()
      return page.getByRole('dialog', { name: 'Create key' })
    }
    const named = async (name: string) =>
      (await api.read('/v1/api-keys?limit=100')).api_keys.find((key: { name: string }) => key.name === name)

    it('create a key with scopes, an end and networks, which works from then on [PAGE-02]', async () => {
      const page = scene.open()
      const dialog = await openForm(page)
      await dialog.getByLabel('Name').fill(`wallboard 0`)
      await dialog.getByRole('checkbox', { name: /^write/ }).check()
      await dialog.getByLabel('Expires').selectOption({ label: 'In 30 days' })
      await dialog.getByLabel('Allowed networks').fill('127.0.0.0/8, 192.0.2.0/24')
      await dialog.getByLabel('Revoke it when I leave the organization').check()
      await dialog.getByRole('button', { name: 'Create key' }).click()
      const secret = page.getByText(/^vdt_key_\w+$/)
      const key = (await secret.textContent()) ?? ''
      const days = (Date.parse((await named(`wallboard 0`)).expires_at) - Date.now()) / 86_400_000
      expect(days).toBeGreaterThan(29.9)
      expect(await named(`wallboard 0`)).toMatchObject({
        scopes: ['read', 'write'],
        allowed_cidrs: ['127.0.0.0/8', '192.0.2.0/24'],
        ends_with_creator: true,
      })
      expect(await scene.backend.call('GET', '/v1/monitors', { as: { 'x-api-key': key } })).toMatchObject({ status: 200 })
      await page.getByRole('button', { name: 'Done' }).click()
    })

    it('name each fault next to its field, all at once, and what only the API knows', async () => {
      const page = scene.open()
      const dialog = await openForm(page)
      const sent = watchRequests(page, 'POST')
      await dialog.getByLabel('Name').fill('   ')
      await dialog.getByLabel('Allowed networks').fill(Array.from({ length: 21 }, (_, index) => `10.0.0.${index}`).join(' '))
      await dialog.getByRole('button', { name: 'Create key' }).click()
      await page.getByText('2 fields need a change.').waitFor()
      expect(Object.keys(await faultsOf(page))).toEqual(['Name', 'Allowed networks'])
      expect(await hasFocus(page, 'Name')).toBe(true)
      expect(sent).toEqual([])
      await dialog.getByLabel('Name').fill('wrong network')
      await dialog.getByLabel('Allowed networks').fill('10.0.0.0/99')
      await dialog.getByRole('button', { name: 'Create key' }).click()
      await expect.poll(async () => Object.keys(await faultsOf(page))).toEqual(['Allowed networks'])
      expect(await named('wrong network')).toBeUndefined()
      await dialog.getByRole('checkbox', { name: /^read/ }).uncheck()
      expect(await dialog.getByRole('button', { name: 'Create key' }).isDisabled()).toBe(true)
    })

    it('revoke a key, which is refused at once', async () => {
      const page = scene.open()
      const { key } = await api.make('/v1/api-keys', { name: 'old', scopes: ['read'] })
      await open(page, 'keys')
      await page
        .getByRole('listitem')
        .filter({ hasText: 'old' })
        .getByRole('button', { name: /Revoke/ })
        .click()
      await page.getByRole('dialog', { name: 'Revoke old?' }).getByRole('button', { name: 'Revoke' }).click()
      await page.getByText('old revoked').waitFor()
      expect((await scene.backend.call('GET', '/v1/monitors', { as: { 'x-api-key': key } })).status).toBe(401)
    })

    it('offer the scope admin to owners alone', async () => {
      const dialog = await openForm(scene.open())
      expect(await dialog.getByRole('checkbox', { name: /^admin/ }).count()).toBe(1)
      const page = await scene.openAs('admin')
      const other = await openForm(page)
      expect(await other.getByRole('checkbox', { name: /^admin/ }).count()).toBe(0)
    })
  })

  describe('of members', () => {
    it('invite somebody, whose link works until the invitation is revoked', async () => {
      const page = scene.open()
      const email = `guest0@example.com`
      await open(page, 'members')
      await page.getByRole('button', { name: 'Invite' }).click()
      const dialog = page.getByRole('dialog', { name: 'Invite member' })
      await dialog.getByRole('button', { name: 'Invite' }).click()
      await page.getByText('One field needs a change.').waitFor()
      await dialog.getByLabel('Email').fill('nobody')
      expect(Object.keys(await faultsOf(page))).toEqual(['Email'])
      await dialog.getByLabel('Email').fill(email)
      await dialog.getByLabel('Role').selectOption({ label: 'Viewer' })
      await dialog.getByRole('button', { name: 'Invite' }).click()
      const link = (await page.getByText(/^http.*token=/).textContent()) ?? ''
      await page.getByRole('button', { name: 'Done' }).click()
      const row = page.getByRole('listitem').filter({ hasText: email })
      await row.getByText('Viewer').waitFor()
      await row.getByRole('button', { name: 'Revoke' }).click()
      await page.getByText('Invitation revoked').waitFor()
      await row.waitFor({ state: 'detached' })
      const body = { token: /token=([\w-]+)/.exec(link)?.[1], password: PASSWORD }
      expect((await scene.backend.call('POST', '/v1/auth/invitations/accept', { body })).status).toBe(404)
    })

    it('change the role of a member, and remove one', async () => {
      const page = scene.open()
      const { userId } = await scene.backend.member(scene.organization, 'viewer')
      const { email } = await scene.backend.pool.db
        .selectFrom('app_user')
        .select('email')
        .where('id', '=', userId)
        .executeTakeFirstOrThrow()
      const role = async () =>
        (await api.read(`${path}/members?limit=100`)).members.find((member: { email: string }) => member.email === email)?.role
      await open(page, 'members')
      await page.getByLabel(`Role: ${email}`).selectOption({ label: 'Admin' })
      await page.getByText('Role changed').waitFor()
      expect(await role()).toBe('admin')
      await page.getByRole('listitem').filter({ hasText: email }).getByRole('button', { name: 'Remove' }).click()
      await page
        .getByRole('dialog', { name: `Remove ${email}?` })
        .getByRole('button', { name: 'Remove' })
        .click()
      await page.getByText(`${email} removed`).waitFor()
      expect(await role()).toBeUndefined()
    })

    it('show members to viewers, and no way to change them but to leave', async () => {
      const page = await scene.openAs('viewer')
      await open(page, 'members')
      await page.getByRole('heading', { name: 'Members' }).waitFor()
      expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0)
      expect(await page.getByRole('combobox').count()).toBe(0)
      await page.getByRole('button', { name: 'Leave' }).click()
      await page.getByRole('dialog', { name: 'Leave this organization?' }).getByRole('button', { name: 'Leave' }).click()
      await page.getByText('You do not belong to an organization yet.').first().waitFor()
    })
  })

  describe('of the organization', () => {
    it('rename it, everywhere on the page', async () => {
      const page = scene.open()
      await open(page, 'organization')
      await page.getByLabel('Name', { exact: true }).fill(' ')
      await page.getByRole('button', { name: 'Rename' }).click()
      await page.getByText('One field needs a change.').waitFor()
      await page.getByLabel('Name', { exact: true }).fill('Night watch')
      await page.getByRole('button', { name: 'Rename' }).click()
      await page.getByText('Changes saved').waitFor()
      await page.getByRole('heading', { name: 'Night watch' }).waitFor()
      expect((await api.read(path)).name).toBe('Night watch')
      const other = scene.open()
      await other.goto(scene.origin)
      await other.getByRole('button', { name: 'Night watch' }).waitFor()
    })

    it('bound the life of new keys, and refuse a bound that is none', async () => {
      const page = scene.open()
      await open(page, 'organization')
      const days = page.getByLabel('New API keys expire within (days)')
      for (const wrong of ['0', '4000', '1.5']) {
        await days.fill(wrong)
        await page.getByRole('button', { name: 'Save' }).click()
        await expect.poll(async () => Object.keys(await faultsOf(page))).toEqual(['New API keys expire within (days)'])
      }
      await days.fill('90')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Changes saved').waitFor()
      expect((await api.read(path)).api_key_max_days).toBe(90)
      await open(page, 'keys')
      await page.getByRole('button', { name: 'Create key' }).click()
      const expiry = page.getByRole('dialog').getByLabel('Expires')
      await expect.poll(() => expiry.locator('option').allTextContents()).toEqual(['In 90 days', 'In 1 day', 'In 30 days'])
      await api.change(path, { api_key_max_days: null })
    })

    it('are closed to a viewer', async () => {
      const page = await scene.openAs('viewer')
      await open(page, 'organization')
      await page.getByText('Members', { exact: true }).first().waitFor()
      for (const name of ['Rename', 'Save', 'Delete organization'])
        expect(await page.getByRole('button', { name }).count()).toBe(0)
      await page.goto(`${scene.origin}/settings/keys`)
      await page.getByText('Your role does not have access to this page.').waitFor()
    })
  })

  describe('of the account', () => {
    /** A person of their own, since the account changes. */
    const openPerson = async () => {
      const page = await scene.openAs('member')
      await open(page, 'security')
      return page
    }

    it('change the password, which ends other sessions, and go on here', async () => {
      const page = await openPerson()
      const submit = page.getByRole('button', { name: 'Change password' })
      await submit.click()
      await page.getByText('2 fields need a change.').waitFor()
      expect(Object.keys(await faultsOf(page))).toEqual(['Current password', 'New password'])
      await page.getByLabel('Current password').fill('wrong wrong wrong')
      await page.getByLabel('New password').fill('short')
      await expect.poll(() => faultsOf(page)).toEqual({ 'New password': 'Enter at least 12 characters.' })
      await page.getByLabel('New password').fill('another long and rare passphrase')
      await submit.click()
      await page
        .getByText(/password is wrong/i)
        .first()
        .waitFor()
      await page.getByLabel('Current password').fill(PASSWORD)
      await submit.click()
      await page.getByText('Password changed. All other sessions have ended.').waitFor()
      expect([await page.getByLabel('Current password').inputValue(), await faultsOf(page)]).toEqual(['', {}])
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Monitors' }).click()
      await page.getByRole('heading', { name: 'Monitors' }).waitFor()
    })

    it('set up a second factor, and remove it', async () => {
      const page = await openPerson()
      await page.getByRole('button', { name: 'Set up' }).click()
      await page.getByRole('img', { name: 'QR code of the secret' }).waitFor()
      const secret =
        (await page
          .getByText(/^[A-Z2-7]{16,}$/)
          .first()
          .textContent()) ?? ''
      await page.getByLabel('Code from the app').fill('000000')
      await page.getByRole('button', { name: 'Enable' }).click()
      await page.getByText('is not the current code of this secret', { exact: true }).waitFor()
      const code = await generate({ secret, epoch: Math.floor(scene.backend.clock.now() / 1000) })
      await page.getByLabel('Code from the app').fill(code)
      await page.getByRole('button', { name: 'Enable' }).click()
      await page.getByText('Enabled. 10 recovery codes left.').waitFor()
      await page.getByRole('button', { name: 'Disable' }).click()
      const dialog = page.getByRole('dialog', { name: 'Disable two-factor authentication?' })
      await dialog.getByLabel('Your password').fill(PASSWORD)
      await dialog.getByRole('button', { name: 'Disable' }).click()
      await page.getByText('Two-factor authentication disabled').waitFor()
      await expect.poll(() => page.getByRole('button', { name: 'Set up' }).isVisible()).toBe(true)
    })

    it('change the email, and delete the account after the password', async () => {
      const page = await openPerson()
      await page.getByRole('button', { name: 'Change email' }).click()
      await page.getByText('2 fields need a change.').waitFor()
      await page.getByLabel('New email').fill('night@example.com')
      await page.getByLabel('Your password').first().fill(PASSWORD)
      await page.getByRole('button', { name: 'Change email' }).click()
      await page.getByText('Email changed to night@example.com').waitFor()
      await page.getByText('night@example.com is not verified.').waitFor()
      const remove = page.getByRole('button', { name: 'Delete account' })
      expect(await remove.isDisabled()).toBe(true)
      await page.getByLabel('Your password').last().fill(PASSWORD)
      await remove.click()
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      const body = { email: 'night@example.com', password: PASSWORD }
      expect((await scene.backend.call('POST', '/v1/auth/login', { body })).status).toBe(401)
    })

    it('end another session of the list', async () => {
      const page = await openPerson()
      const authorization = String(await page.evaluate(`'Bearer ' + sessionStorage.getItem('vedette-token')`))
      const { email } = (await scene.backend.call('GET', '/v1/me', { as: { authorization } })).body
      const { token } = (await scene.backend.call('POST', '/v1/auth/login', { body: { email, password: PASSWORD } })).body
      await page.reload()
      await page.getByRole('button', { name: 'End session' }).click()
      await page.getByText('Session ended').waitFor()
      expect((await scene.backend.call('GET', '/v1/me', { as: { authorization: `Bearer ${token}` } })).status).toBe(401)
    })
  })

  describe('of a server', () => {
    it('save a display name and tags, and nothing that somebody else changed', async () => {
      const page = scene.open()
      const key = await scene.backend.apiKey(scene.organization, 'agent')
      const body = registration(`machine 0`, { hostname: `web-0` })
      const { server_id: id } = (await scene.backend.call('POST', '/v1/agent/register', { as: key, body })).body
      await page.goto(`${scene.origin}/servers/${id}`)
      const openMenu = async (item: string) => {
        await page.getByRole('button', { name: 'Edit', exact: true }).click()
        await page.getByRole('menuitem', { name: item }).click()
      }
      await openMenu('Edit name and tags')
      const dialog = page.getByRole('dialog', { name: 'Edit name and tags' })
      await dialog.getByLabel('Tags').fill('web')
      await page.keyboard.press('Enter')
      await dialog.getByLabel('Tags').fill('eu,')
      await api.change(`/v1/servers/${id}`, { display_name: 'Named elsewhere' })
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Changes saved').first().waitFor()
      expect(await api.read(`/v1/servers/${id}`)).toMatchObject({ display_name: 'Named elsewhere', tags: ['web', 'eu'] })
      await page.reload()
      await openMenu('Edit name and tags')
      await dialog.getByRole('button', { name: 'Remove web' }).click()
      await dialog.getByLabel('Display name').fill('')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await expect.poll(async () => (await api.read(`/v1/servers/${id}`)).display_name).toBeNull()
      expect((await api.read(`/v1/servers/${id}`)).tags).toEqual(['eu'])
      await openMenu('Delete')
      const confirm = page.getByRole('dialog', { name: `Delete web-0?` })
      const remove = confirm.getByRole('button', { name: 'Delete' })
      expect(await remove.isDisabled()).toBe(true)
      await confirm.getByLabel(`Type web-0 to confirm`).fill(`web-0`)
      await remove.click()
      await page.getByText(`web-0 deleted`).waitFor()
      expect((await scene.backend.call('GET', `/v1/servers/${id}`, { as: scene.owner })).status).toBe(404)
    })

    it('regenerate its token, which is shown once', async () => {
      const page = scene.open()
      const server = await scene.backend.server(scene.organization)
      await page.goto(`${scene.origin}/servers/${server.id}`)
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Regenerate token' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Regenerate token' }).click()
      await page.getByRole('heading', { name: 'New token (shown only once)' }).waitFor()
      for (const key of ['Escape', 'Escape']) await page.keyboard.press(key)
      await page.getByRole('heading', { name: 'New token (shown only once)' }).waitFor()
      const refused = await scene.backend.call('POST', '/v1/agent/metrics', { as: server.as, body: {} })
      expect(refused.status).toBe(401)
      await page.getByRole('button', { name: 'Done' }).click()
    })
  })
})
