import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openScene, type Page, type Scene } from '../dom/scene.ts'
import { asOwner, watchRequests } from './editor.ts'

interface Editor {
  /** The list in the API, which is also its field in the answer, and where the page has the list. */
  list: 'monitors' | 'alert-rules' | 'maintenance-windows' | 'channels'
  add: string
  edit: (id: string) => string
  create: string
  /** The heading of the page that is shown after a save. */
  after: string
  fill: (page: Page, name: string) => Promise<void>
  body: (name: string) => object
  /** A second field next to the name: its label, a value to type, and what the API then has. */
  second: { label: string; typed: string; change: object; stored: object; shown: string }
}

const EDITORS: readonly Editor[] = [
  {
    list: 'monitors',
    add: '/monitors/add/http',
    edit: (id) => `/monitors/${id}/edit`,
    create: 'Create monitor',
    after: 'Recent checks',
    fill: async (page, name) => {
      await page.getByLabel('URL').fill('https://shop.example.com/')
      await page.getByLabel('Name').first().fill(name)
    },
    body: (name) => ({ name, url: 'https://shop.example.com/' }),
    second: {
      label: 'Interval',
      typed: '10 min',
      change: { interval: 120 },
      stored: { interval: 600 },
      shown: '2 min',
    },
  },
  {
    list: 'alert-rules',
    add: '/alerts/rules/add',
    edit: (id) => `/alerts/rules/${id}`,
    create: 'Create rule',
    after: 'Alert rules',
    fill: (page, name) => page.getByLabel('Name').first().fill(name),
    body: (name) => ({
      name,
      target: { type: 'server' },
      condition: { metric: 'cpu.percent', operator: 'greater_than', value: 90 },
    }),
    second: {
      label: 'Recovers at',
      typed: '70',
      change: { clear_value: 60 },
      stored: { clear_value: 70 },
      shown: '60',
    },
  },
  {
    list: 'maintenance-windows',
    add: '/alerts/maintenance/add',
    edit: (id) => `/alerts/maintenance/${id}`,
    create: 'Create window',
    after: 'Maintenance windows',
    fill: (page, name) => page.getByLabel('Name').first().fill(name),
    body: (name) => ({
      name,
      target: { type: 'server' },
      starts_at: '2027-07-04T20:00:00.000Z',
      ends_at: '2027-07-04T22:00:00.000Z',
      time_zone: 'UTC',
    }),
    second: {
      label: 'Ends',
      typed: '2027-07-05T03:00',
      change: { ends_at: '2027-07-05T02:00:00.000Z' },
      stored: { ends_at: '2027-07-05T03:00:00.000Z' },
      shown: '2027-07-05T02:00',
    },
  },
  {
    list: 'channels',
    add: '/alerts/channels/add',
    edit: (id) => `/alerts/channels/${id}`,
    create: 'Create channel',
    after: 'Notification channels',
    fill: async (page, name) => {
      await page.getByLabel('Type').selectOption('ntfy')
      await page.getByLabel('Name').first().fill(name)
      await page.getByLabel('URL').fill('https://ntfy.example.com')
      await page.getByLabel('Topic').fill('night')
    },
    body: (name) => ({ name, type: 'ntfy', config: { url: 'https://ntfy.example.com', topic: 'night' } }),
    second: {
      label: 'Topic',
      typed: 'day',
      change: { config: { topic: 'morning' } },
      stored: { config: { topic: 'day' } },
      shown: 'morning',
    },
  },
]

describe('every editor', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  beforeAll(async () => {
    scene = await openScene()
    api = asOwner(scene)
  })
  afterAll(() => scene?.close())

  const nameOf = (page: Page) => page.getByLabel('Name').first()
  const make = async ({ list, body }: Editor, name: string): Promise<string> => (await api.make(`/v1/${list}`, body(name))).id
  const allNamed = async ({ list }: Editor, name: string): Promise<object[]> =>
    (await api.read(`/v1/${list}?limit=100`))[list.replace('-', '_')].filter((each: { name: string }) => each.name === name)
  const open = async (page: Page, editor: Editor, id: string) => {
    await page.goto(`${scene.origin}${editor.edit(id)}`)
    await nameOf(page).waitFor()
  }
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()
  const isSaved = (page: Page, { after }: Editor) => page.getByRole('heading', { name: after }).waitFor()

  describe.each(EDITORS)('of $list', (editor) => {
    const { list, second } = editor

    it('creates one at a double click, and one by the Enter key', async () => {
      for (const name of ['By mouse', 'By keyboard']) {
        const page = scene.open()
        await page.goto(`${scene.origin}${editor.add}`)
        await editor.fill(page, name)
        if (name === 'By mouse') await page.getByRole('button', { name: editor.create }).dblclick()
        else {
          await nameOf(page).press('Enter')
          // At the page, not at the field: the first may have been saved and the editor left.
          await page.keyboard.press('Enter')
        }
        await page.getByText(`${name} created`).waitFor()
        expect(await allNamed(editor, name)).toHaveLength(1)
      }
    })

    it('keeps both changes where two people changed different fields', async () => {
      const id = await make(editor, 'Of two')
      const page = scene.open()
      await open(page, editor, id)
      await api.change(`/v1/${list}/${id}`, { name: 'Renamed elsewhere' })
      const sent = watchRequests(page, 'PATCH')
      await page.getByLabel(second.label, { exact: true }).fill(second.typed)
      await save(page)
      await isSaved(page, editor)
      expect(await api.read(`/v1/${list}/${id}`)).toMatchObject({ name: 'Renamed elsewhere', ...second.stored })
      // Refused for its old version, then sent again with the same single field.
      expect(sent.map(({ body }) => Object.keys(body as object))).toEqual([
        Object.keys(second.stored),
        Object.keys(second.stored),
      ])
    })

    it('names in words what both changed, and keeps what was typed meanwhile with either choice', async () => {
      for (const choice of ['Take theirs', 'Keep mine']) {
        const page = scene.open()
        const id = await make(editor, choice)
        await open(page, editor, id)
        await api.change(`/v1/${list}/${id}`, second.change)
        await page.getByLabel(second.label, { exact: true }).fill(second.typed)
        await save(page)
        const notice = page.getByRole('alert').filter({ hasText: 'Somebody else changed this meanwhile' })
        await notice.waitFor()
        expect(await notice.textContent()).not.toMatch(/\w_\w|[{}[\]"]/)
        await nameOf(page).fill(`${choice}, renamed`)
        await notice.getByRole('button', { name: choice }).click()
        await notice.waitFor({ state: 'detached' })
        expect(await nameOf(page).inputValue()).toBe(`${choice}, renamed`)
        expect(await page.getByLabel(second.label, { exact: true }).inputValue()).toBe(
          choice === 'Take theirs' ? second.shown : second.typed,
        )
        await save(page)
        await isSaved(page, editor)
        expect(await api.read(`/v1/${list}/${id}`)).toMatchObject({
          name: `${choice}, renamed`,
          ...(choice === 'Take theirs' ? second.change : second.stored),
        })
      }
    })

    it('says in plain words why it cannot save, keeps what was typed, and saves it later', async () => {
      const id = await make(editor, 'Unlucky')
      const page = scene.open()
      await open(page, editor, id)
      await nameOf(page).fill('Lucky')
      const alert = page.getByRole('alert').filter({ hasText: /\S/ })
      const answers = [
        [500, 'internal_error', 'internal error', 'Server error.'],
        [503, 'unavailable', 'the database is not reachable', 'The database is not reachable.'],
        [429, 'rate_limited', 'too many requests', 'Try again shortly.'],
        [403, 'forbidden', 'not allowed', 'Ask an owner or admin of the organization.'],
      ] as const
      for (const [status, code, message, shown] of answers) {
        // The client repeats requests that may pass; each gets the same answer.
        await page.route(`**/v1/${list}/${id}`, (route) =>
          route.fulfill({ status, json: { error: { code, message, request_id: 'req_test' } } }),
        )
        await save(page)
        await expect.poll(() => alert.first().textContent()).toContain(shown)
        expect(await nameOf(page).inputValue()).toBe('Lucky')
        await page.unroute(`**/v1/${list}/${id}`)
      }
      await save(page)
      await isSaved(page, editor)
      expect(await allNamed(editor, 'Lucky')).toHaveLength(1)
    })

    it('says that what it edits was deleted meanwhile', async () => {
      const id = await make(editor, 'Gone')
      const page = scene.open()
      await open(page, editor, id)
      await nameOf(page).fill('Back again')
      await scene.backend.call('DELETE', `/v1/${list}/${id}`, { as: scene.owner })
      await save(page)
      await page.getByText('It may have been deleted, or it belongs to another organization.').waitFor()
      expect(await nameOf(page).inputValue()).toBe('Back again')
      expect(await allNamed(editor, 'Back again')).toEqual([])
    })
  })

  it('reports no fault of a script', () => expect(scene.complaints).toEqual([]))
})
