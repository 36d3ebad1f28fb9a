import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openScene, type Scene } from './dom/scene.ts'

/** The address of each list, the beginning of what comes there and how, and the button that makes the first entry. */
const LISTS = [
  ['/servers', 'An agent on each host sends', 'Add server'],
  ['/monitors', 'A monitor checks a URL', 'Add monitor'],
  ['/monitors/deleted', 'A deleted monitor stays here', undefined],
  ['/incidents', 'The incidents they open appear here', 'Add rule'],
  ['/incidents?status=resolved', 'The incidents they open appear here', 'Add rule'],
  ['/alerts/rules', 'Without a rule no incident is opened', 'Add rule'],
  ['/alerts/channels', 'Until there is one, incidents appear only', 'Add channel'],
  ['/alerts/maintenance', 'Add one before an upgrade', 'Add window'],
  ['/status-pages', 'A status page shows visitors', 'Create status page'],
  ['/slos', 'An SLO counts the good checks', 'Add SLO'],
  ['/settings/members', 'You are the only member', 'Invite'],
  ['/settings/keys', 'With a key a script', 'Create key'],
  ['/settings/audit', 'Every change of servers', undefined],
  ['/settings/security-log', 'Sign-ins, refused requests', undefined],
  ['/settings/security', 'Where you are signed in', undefined],
] as const

describe('a list with nothing in it', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene({ environment: {} })
    const { pg } = scene.backend.pool
    for (const table of ['alert_rule', 'security_event']) await pg.query(`delete from ${table}`)
    await pg.query('delete from membership where user_id <> $1', [scene.owner.userId])
  })
  afterAll(() => scene?.close())

  it.each(LISTS)('%s says what comes there, and offers the first one', async (path, text, action) => {
    const page = scene.open()
    await page.goto(scene.origin + path)
    const main = page.getByRole('main')
    await main.getByText(text).waitFor()
    const first = (name: string) =>
      main.getByRole(/^(?:Invite|Create key)$/.test(name) ? 'button' : 'link', { name, exact: true })
    await expect.poll(async () => action === undefined || (await first(action).count()) > 0).toBe(true)
  })

  it('says of a filter that it has no results', async () => {
    const { origin } = scene
    const page = scene.open()
    for (const path of ['/settings/audit?action=monitor.created', '/incidents?severity=critical', '/alerts/channels?page=2']) {
      await page.goto(origin + path)
      await expect.poll(() => page.getByText('No results for these filters').count()).toBe(1)
    }
  })

  it('sends a viewer to those who may add one', async () => {
    const { origin } = scene
    const page = await scene.openAs('viewer')
    for (const [path, , action] of LISTS.slice(0, 9)) {
      await page.goto(origin + path)
      const main = page.getByRole('main')
      if (action === undefined) continue
      await main.getByText('ask an owner or an admin').waitFor()
      expect(await main.getByRole('link', { name: action, exact: true }).count()).toBe(0)
    }
    await page.goto(origin)
    await page.getByText('appear here when an owner, an admin or a member adds them').waitFor()
    expect(await page.getByRole('main').getByRole('link').count()).toBe(0)
  })

  it('reports no fault of a script', () => expect(scene.complaints).toEqual([]))
})
