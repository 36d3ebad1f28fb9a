import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultsOf, hasFocus, openScene, type Page, type Scene } from './dom/scene.ts'
import { watchRequests } from './editors/editor.ts'

const BOX = 'What do you want to monitor?'

/** A person at a page, whose clicks and fields are counted. */
function person(page: Page) {
  const counts = { clicks: 0, fields: 0 }
  return {
    counts,
    click: async (role: 'button' | 'link', name: string | RegExp) => {
      counts.clicks += 1
      await page.getByRole(role, { name }).first().click()
    },
    fill: async (label: string, value: string) => {
      counts.fields += 1
      await page.getByLabel(label, { exact: true }).first().fill(value)
    },
  }
}

describe('adding a monitor', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene()
  })
  afterAll(() => scene?.close())

  const created = async (page: Page) => {
    await page
      .getByRole('button', { name: 'Edit' })
      .or(page.getByRole('link', { name: 'Edit' }))
      .first()
      .waitFor()
    const id = page.url().split('/').at(-1)
    return (await scene.backend.call('GET', `/v1/monitors/${id}`, { as: scene.owner })).body
  }

  it.each<[kind: string, tile: RegExp, fields: Record<string, string>, stored: object]>([
    ['http', /^Website or API/, { URL: ' Shop.example.com/ ' }, { url: 'https://Shop.example.com/', name: 'shop.example.com' }],
    ['icmp', /^Ping/, { Host: 'router.example.com' }, { url: 'icmp://router.example.com' }],
    ['tcp', /^TCP port/, { Host: 'db.example.com', Port: '9092' }, { url: 'tcp://db.example.com:9092' }],
    ['tls', /^Certificate/, { Host: 'https://shop.example.com/' }, { url: 'tls://shop.example.com' }],
    [
      'dns',
      /^DNS record/,
      { 'Domain name': 'www.example.com' },
      { url: 'dns:///www.example.com?type=A', name: 'www.example.com' },
    ],
    ['domain', /^Domain registration/, { Domain: 'example.com' }, { url: 'domain://example.com' }],
    ['postgres', /^PostgreSQL/, { Host: 'db.example.com', 'User name': 'probe' }, { url: 'postgres://db.example.com' }],
    ['mysql', /^MySQL or MariaDB/, { Host: 'db:3307', 'User name': 'probe' }, { url: 'mysql://db:3307', name: 'db' }],
    ['mongodb', /^MongoDB/, { Host: 'db.example.com' }, { url: 'mongodb://db.example.com' }],
    ['mqtt', /^MQTT/, { Host: 'broker', Topic: 'a/#' }, { url: 'mqtt://broker/a/%23' }],
    ['ntp', /^Time server/, { Host: 'time.example.com' }, { url: 'ntp://time.example.com' }],
    ['radius', /^RADIUS/, { Host: 'radius', 'Shared secret': 'secret' }, { url: 'radius://radius' }],
    ['ssh', /^SSH/, { Host: 'bastion.example.com' }, { url: 'ssh://bastion.example.com' }],
    ['ftp', /^FTP/, { Host: 'files.example.com' }, { url: 'ftp://files.example.com' }],
    ['redis', /^Redis or Valkey/, { Host: '[::1]:6379' }, { url: 'redis://[::1]:6379' }],
    ['smtp', /^Mail server/, { Host: 'mail.example.com' }, { url: 'smtp://mail.example.com' }],
    ['imap', /^Mailbox/, { Host: 'mail.example.com' }, { url: 'imap://mail.example.com' }],
    ['websocket', /^WebSocket/, { URL: 'shop.example.com/live' }, { url: 'wss://shop.example.com/live' }],
    ['grpc', /^gRPC service/, { Host: 'api.example.com' }, { url: 'grpcs://api.example.com' }],
    ['heartbeat', /^Job or backup/, { Name: 'Nightly backup' }, { url: 'heartbeat://nightly-backup' }],
  ])('takes at most four clicks and two fields by the tile of %s', async (kind, tile, fields, stored) => {
    const page = scene.open()
    const { click, fill, counts } = person(page)
    await page.goto(`${scene.origin}/monitors`)
    await click('link', 'Add monitor')
    await click('button', tile)
    for (const [label, value] of Object.entries(fields)) await fill(label, value)
    await click('button', 'Create monitor')
    expect(await created(page)).toMatchObject({ type: kind, ...stored })
    expect(counts).toEqual({ clicks: 3, fields: Object.keys(fields).length })
    expect(counts.fields).toBeLessThanOrEqual(2)
  })

  it.each<[typed: string, kind: string, stored: object]>([
    ['shop.example', 'http', { url: 'https://shop.example', name: 'shop.example' }],
    [
      'postgres://probe:s3cret@db.example.com/app?sslmode=require',
      'postgres',
      { url: 'postgres://db.example.com/app', credentials: { username: '•••', password: '•••' } },
    ],
    ['0 2 * * * /usr/local/bin/backup.sh', 'heartbeat', { name: 'backup' }],
    [
      `curl -X POST https://api.example/orders -H 'Authorization: Bearer abc' -d '{}'`,
      'http',
      { method: 'POST', body: '{}', credentials: { bearer_token: '•••' } },
    ],
  ])('takes two clicks and one field by the box: %s', async (typed, kind, stored) => {
    const page = scene.open()
    const { click, fill, counts } = person(page)
    await page.goto(`${scene.origin}/monitors`)
    await click('link', 'Add monitor')
    await fill(BOX, typed)
    // Before the readers of what is pasted are loaded.
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toBe(`${scene.origin}/monitors/add/${kind}`)
    await click('button', 'Create monitor')
    expect(await created(page)).toMatchObject({ type: kind, ...stored })
    expect(counts).toEqual({ clicks: 2, fields: 1 })
  })

  it('searches the kinds, leads through them by the arrows, and says when it knows nothing of the kind', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/monitors/add`)
    const box = page.getByLabel(BOX)
    await box.fill('certificate')
    await expect.poll(() => page.getByRole('button', { name: /^(Ping|Certificate)/ }).allTextContents()).toHaveLength(1)
    await box.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(page.url()).toBe(`${scene.origin}/monitors/add/tls`)
    await page.goto(`${scene.origin}/monitors/add`)
    await box.fill('what is this')
    await page.getByText('This is nothing that Vedette knows.').waitFor()
    expect(await page.getByRole('button', { name: /^Ping/ }).count()).toBeGreaterThan(0)
  })

  it('shows an existing URL in fields, and one that they cannot show as it is', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/monitors/add/tcp`)
    await page.getByLabel('Host').fill('db.example.com:5432')
    const url = page.getByLabel('URL')
    expect(await url.inputValue()).toBe('tcp://db.example.com:5432')
    await page.getByText('Advanced: URL').click()
    await url.fill('tcp://[::1]:22')
    expect([await page.getByLabel('Host').inputValue(), await page.getByLabel('Port').inputValue()]).toEqual(['::1', '22'])
    await url.fill('tcp://db.example.com:22/path')
    await page.getByText('This URL says more than the fields can show.').waitFor()
    expect(await page.getByLabel('Host').count()).toBe(0)
  })

  it('names each fault once, at its field and in plain words, and takes it back when it is mended', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/monitors/add/tcp`)
    const sent = watchRequests(page, 'POST')
    await page.getByLabel('Host').fill('my db')
    await page.getByLabel('Port').fill('ssh')
    await page.getByLabel('Send').fill(String.raw`\q`)
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByText('2 fields need a change.').waitFor()
    expect(await faultsOf(page)).toEqual({
      Host: 'Enter the name or the address of a host, such as shop.example.com or 192.0.2.7.',
      Port: 'Enter a port from 1 to 65535.',
    })
    expect(await hasFocus(page, 'Host')).toBe(true)
    await page.getByLabel('Host').fill('db')
    await page.getByLabel('Port').fill('22')
    expect(await faultsOf(page)).toEqual({ Send: String.raw`\q is none of the escapes \r, \n, \t, \0, \\ and \xHH.` })
    expect(sent).toEqual([])
  })
})
