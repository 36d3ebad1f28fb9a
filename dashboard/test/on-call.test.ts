import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOwner } from './editors/editor.ts'
import { faultsOf, openScene, type Page, type Scene } from './dom/scene.ts'

const HOUR_MS = 3_600_000

describe('on-call schedules and escalation policies', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  beforeAll(async () => {
    scene = await openScene()
    api = asOwner(scene)
    for (const name of ['ada', 'ben', 'cem']) {
      const { userId } = await scene.backend.member(scene.organization, 'member')
      const user = { email: `${name}@example.com`, email_verified_at: name === 'cem' ? null : new Date() }
      await scene.backend.pool.db.updateTable('app_user').set(user).where('id', '=', userId).execute()
    }
  })
  afterAll(() => scene?.close())

  const idOf = async (email: string): Promise<string> =>
    (await api.read(`/v1/organizations/${scene.organization.id}/members?limit=100`)).members.find(
      (member: { email: string }) => member.email === email,
    ).id
  const addPerson = async (page: Page, part: string, email: string) => {
    const group = page.locator('section').filter({ has: page.getByRole('heading', { name: part, exact: true }) })
    await group.getByLabel('Choose a person').selectOption({ label: email })
    await group.getByRole('button', { name: 'Add', exact: true }).click()
  }

  it('a schedule is made from an empty list, and shows who is on duty', { timeout: 120_000 }, async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/alerts`)
    await page.getByRole('link', { name: 'On-call', exact: true }).click()
    await page.getByText('No on-call schedules yet').waitFor()
    await page.getByRole('link', { name: 'Add schedule' }).click()
    await page.getByLabel('Name', { exact: true }).fill(`Shop 0`)
    await page.getByLabel('Time zone').selectOption('Europe/Berlin')
    for (const email of ['ben@example.com', 'ada@example.com']) await addPerson(page, 'Layer 1', email)
    await page.getByRole('button', { name: 'Move ada@example.com up from place 2' }).click()
    await page.getByRole('button', { name: 'Add layer' }).click()
    await addPerson(page, 'Layer 2', 'cem@example.com')
    await page.getByRole('button', { name: 'Add hours' }).nth(1).click()
    await page.getByRole('button', { name: 'Create schedule' }).click()
    await page.getByRole('heading', { level: 1, name: `Shop 0` }).waitFor()
    await page
      .getByRole('row', { name: /ada@example\.com/ })
      .first()
      .waitFor()
    await page
      .getByRole('row', { name: /cem@example\.com/ })
      .first()
      .waitFor()
    const { schedules } = await api.read('/v1/schedules')
    const [ada, ben, cem] = [await idOf('ada@example.com'), await idOf('ben@example.com'), await idOf('cem@example.com')]
    expect(schedules).toMatchObject([
      {
        name: 'Shop 0',
        time_zone: 'Europe/Berlin',
        handover_mail: true,
        layers: [
          { user_ids: [ada, ben], repeat: 'FREQ=WEEKLY;BYDAY=MO', restrictions: [] },
          { user_ids: [cem], restrictions: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR'], from: '09:00', to: '17:00' }] },
        ],
      },
    ])
    await page.goto(`${scene.origin}/alerts/on-call`)
    const row = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Shop 0', exact: true }) })
    await row.getByText('until').waitFor()
  })

  it('a turn of several people is made by hours with an end, and kept by the editor', { timeout: 120_000 }, async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/alerts/on-call/add`)
    await page.getByLabel('Name', { exact: true }).fill('Both')
    await page.getByLabel('Time zone').selectOption('UTC')
    await addPerson(page, 'Layer 1', 'ada@example.com')
    await page.getByLabel('Choose a person').selectOption({ label: 'ben@example.com' })
    await page.getByRole('button', { name: 'Add to the last turn' }).click()
    await addPerson(page, 'Layer 1', 'cem@example.com')
    await page.getByRole('button', { name: 'Remove ada@example.com, ben@example.com at place 1' }).waitFor()
    await page.getByLabel('The next turn begins', { exact: true }).selectOption('hourly')
    await page.getByLabel('Hours of a turn').fill('8')
    await page.getByLabel('Ends', { exact: true }).fill('2036-01-01T00:00')
    await page.getByRole('button', { name: 'Create schedule' }).click()
    await page.getByRole('heading', { level: 1, name: 'Both' }).waitFor()
    const [ada, ben, cem] = [await idOf('ada@example.com'), await idOf('ben@example.com'), await idOf('cem@example.com')]
    const { schedules } = await api.read('/v1/schedules')
    const { id, layers } = schedules.find(({ name }: { name: string }) => name === 'Both')
    const made = { user_ids: [[ada, ben], cem], repeat: 'FREQ=HOURLY;INTERVAL=8', ends_at: '2036-01-01T00:00:00.000Z' }
    expect(layers).toMatchObject([made])
    for (const email of ['ada', 'ben'])
      await page
        .getByRole('row', { name: new RegExp(`${email}@example`) })
        .first()
        .waitFor()
    await page.goto(`${scene.origin}/alerts/on-call/${id}/edit`)
    await page.getByLabel('Name', { exact: true }).fill('Both 2')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Both 2' }).waitFor()
    expect((await api.read(`/v1/schedules/${id}`)).layers).toEqual(layers)
  })

  it('an override is added and removed, and a gap is shown', { timeout: 120_000 }, async () => {
    const layer = { user_ids: [await idOf('ada@example.com')], starts_at: new Date(Date.now() + 26 * HOUR_MS).toISOString() }
    const { id } = await api.make('/v1/schedules', { name: 'Later', time_zone: 'UTC', layers: [layer] })
    const old = { user_id: layer.user_ids[0], starts_at: '2026-01-01T00:00:00Z', ends_at: '2026-01-02T00:00:00Z' }
    await api.change(`/v1/schedules/${id}`, { overrides: [old] })
    const page = scene.open()
    await page.goto(`${scene.origin}/alerts/on-call/${id}`)
    await page.getByText('Incidents go to the owners while nobody is on duty.').waitFor()
    await page.getByRole('row', { name: /Nobody/ }).waitFor()
    await page.getByRole('button', { name: 'Add override' }).click()
    const dialog = page.getByRole('dialog')
    const ends = await dialog.getByLabel('To', { exact: true }).inputValue()
    await dialog.getByLabel('To', { exact: true }).fill('2026-01-01T00:00')
    await dialog.getByRole('button', { name: 'Add override' }).click()
    expect(await faultsOf(page)).toEqual({ Person: 'Fill this in.', To: 'Must be after the start.' })
    await dialog.getByLabel('To', { exact: true }).fill(ends)
    await dialog.getByLabel('Person').selectOption({ label: 'ben@example.com' })
    await dialog.getByRole('button', { name: 'Add override' }).click()
    await page.getByText('Override added').waitFor()
    await page.getByRole('row', { name: /ben@example\.com/ }).waitFor()
    const stored = (await api.read(`/v1/schedules/${id}`)).overrides
    expect(stored).toMatchObject([{ user_id: await idOf('ben@example.com') }])
    await page.getByRole('button', { name: /^Remove the override of ben@example\.com/ }).click()
    await page.getByText('Nobody is on duty in place of somebody else.').waitFor()
    expect((await api.read(`/v1/schedules/${id}`)).overrides).toEqual([])
  })

  it('the address for calendars is shown once, replaced and removed', { timeout: 60_000 }, async () => {
    const { id } = await api.make('/v1/schedules', { name: 'Calendar' })
    const page = scene.open()
    await page.goto(`${scene.origin}/alerts/on-call/${id}`)
    const address = async () => {
      const text = await page.getByRole('dialog').getByRole('group', { name: 'Calendar address' }).textContent()
      await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
      return new URL(text ?? '').pathname
    }
    const statusOf = async (path: string) => (await fetch(`${scene.origin}${path}`)).status
    await page.getByRole('button', { name: 'Create address' }).click()
    const first = await address()
    expect(await statusOf(first)).toBe(200)
    await page.getByRole('button', { name: 'Replace address' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replace address' }).click()
    const second = await address()
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200])
    await page.getByRole('button', { name: 'Remove address' }).click()
    await page.getByRole('button', { name: 'Create address' }).waitFor()
    expect(await statusOf(second)).toBe(404)
  })

  it('a calendar to follow is entered, hidden, and shown with what is wrong with it', { timeout: 60_000 }, async () => {
    const { id } = await api.make('/v1/schedules', { name: 'Followed' })
    const page = scene.open()
    await page.goto(`${scene.origin}/alerts/on-call/${id}/edit`)
    await page.getByLabel('Calendar to follow').fill('https://127.0.0.1:1/secret.ics')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Followed calendar' }).waitFor()
    await page.getByText('Within a minute').waitFor()
    expect(await api.read(`/v1/schedules/${id}`)).toMatchObject({ ical_url: '•••' })
    const state = {
      etag: null,
      full_at: null,
      read_at: null,
      error: 'status 404',
      failing_since: Date.now(),
      faults: ['it names "zoe", who is no member here'],
    }
    await scene.backend.pool.db
      .updateTable('schedule')
      .set({ ical_state: JSON.stringify(state) })
      .execute()
    await page.goto(`${scene.origin}/alerts/on-call/${id}`)
    await page.getByText(/^Cannot be read since .*: status 404\. The shifts of before stay\.$/).waitFor()
    await page.getByText('it names "zoe", who is no member here').waitFor()
    await page.goto(`${scene.origin}/alerts/on-call/${id}/edit`)
    await page.getByLabel('Calendar to follow').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Overrides' }).waitFor()
    expect(await api.read(`/v1/schedules/${id}`)).toMatchObject({ ical_url: null, ical: null })
  })

  it('a policy has steps of schedules and people, and shows whom it notifies', { timeout: 120_000 }, async () => {
    await api.make('/v1/channels', { name: 'Operations', type: 'webhook', config: { url: 'https://hook.example.com/' } })
    const page = scene.open()
    await page.goto(`${scene.origin}/alerts`)
    await page.getByRole('link', { name: 'Escalation', exact: true }).click()
    await page.getByText('No escalation policies yet').waitFor()
    await page.getByRole('link', { name: 'Add escalation policy' }).click()
    await page.getByLabel('Name', { exact: true }).fill(`Escalate 0`)
    await page.getByRole('group', { name: 'Who is on duty in' }).getByLabel('Later').check()
    await page.getByLabel('Time to acknowledge').fill('10 min')
    await page.getByRole('button', { name: 'Add step' }).click()
    await page.getByRole('button', { name: 'Create policy' }).click()
    await page.getByText('must name a channel, a schedule or a member').first().waitFor()
    await addPerson(page, 'Step 2', 'cem@example.com')
    await page.getByLabel('Operations').nth(1).check()
    await page.getByLabel('Repetitions of all steps').fill('2')
    await page.getByLabel('Open an acknowledged incident again after').fill('2 h')
    await page.getByRole('button', { name: 'Create policy' }).click()
    await page.getByText('Nobody is on duty in Later: the owners are notified.').waitFor()
    await page.getByText('after 10 min').waitFor()
    await page.getByText('cannot be reached').first().waitFor()
    await page.getByText('Channel Operations').waitFor()
    const later = new Date(Date.now() + 40 * HOUR_MS).toISOString().slice(0, 16)
    await page.getByLabel('At another time').fill(later)
    await page.getByText('Nobody is on duty in Later: the owners are notified.').waitFor({ state: 'detached' })
    await page.locator('li').filter({ hasText: 'at once' }).getByText('ada@example.com').waitFor()
    const { escalation_policies: policies } = await api.read('/v1/escalation-policies')
    expect(policies).toMatchObject([
      {
        name: 'Escalate 0',
        steps: [{ wait_seconds: 600 }, { wait_seconds: 300, user_ids: [await idOf('cem@example.com')] }],
        repeats: 2,
        reopen_seconds: 7_200,
      },
    ])
    const rule = {
      name: 'Shop is down',
      target: { type: 'monitor' },
      condition: { metric: 'status', operator: 'equals', value: 'down' },
    }
    const { id: other } = await api.make('/v1/escalation-policies', { name: 'Escalate 1', steps: policies[0].steps })
    await api.make('/v1/alert-rules', { ...rule, severity: 'critical', channel_ids: [], escalation_policy_id: other })
    await page.goto(`${scene.origin}/alerts/policies`)
    await page.getByText('2 steps · repeated 2 times').first().waitFor()
    await page.getByRole('button', { name: 'Delete: Escalate 1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page
      .getByRole('dialog')
      .getByRole('alert')
      .getByText(/Alert rules or SLOs name the policy/)
      .waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Delete: Escalate 0' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Escalate 0 restored').waitFor()
  })

  it('viewers see schedules and recipients, and change nothing', { timeout: 60_000 }, async () => {
    const [{ id }] = (await api.read('/v1/schedules')).schedules
    const [{ id: policy }] = (await api.read('/v1/escalation-policies')).escalation_policies
    const page = await scene.openAs('viewer')
    await page.goto(`${scene.origin}/alerts/on-call/${id}`)
    await page.getByRole('heading', { name: 'On duty' }).waitFor()
    expect(await page.getByRole('button', { name: /Add override|Create address|Delete/ }).count()).toBe(0)
    await page.goto(`${scene.origin}/alerts/policies/${policy}`)
    await page.getByRole('heading', { name: 'Who is notified' }).waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
    await page.goto(`${scene.origin}/alerts/on-call/add`)
    await page.getByText('Only members, admins and owners can change schedules.').waitFor()
    expect(scene.complaints).toEqual([])
  })
})
