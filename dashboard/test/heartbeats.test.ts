import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openScene, type Scene } from './dom/scene.ts'

describe('heartbeats', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene()
  })
  afterAll(() => scene?.close())

  const call = (method: string, path: string, body?: unknown) => scene.backend.call(method, path, { as: scene.owner, body })

  it('are made with a schedule, and show the address of their pings and what these brought', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/monitors/add/heartbeat`)
    await page.getByLabel('Name').first().fill(`Nightly backup 0`)
    await page.getByRole('button', { name: 'Cron', exact: true }).click()
    await page.getByLabel('Crontab line').fill('61 2 * * *')
    await page.getByLabel('Time zone').fill('Europe/Berlin')
    await page.getByLabel('Grace').fill('30m')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByText('“61” does not fit as minute.').waitFor()
    await page.getByLabel('Crontab line').fill('0 2 * * *')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe(`Nightly backup 0`)
    const id = page.url().split('/').at(-1)
    const { body: monitor } = await call('GET', `/v1/monitors/${id}`)
    expect(monitor).toMatchObject({
      type: 'heartbeat',
      url: `heartbeat://nightly-backup-0`,
      options: { schedule: { cron: '0 2 * * *', time_zone: 'Europe/Berlin', grace_seconds: 1_800 } },
    })
    const path = new URL(monitor.ping_url).pathname
    await page.getByText('No ping yet').waitFor()
    await scene.backend.call('POST', `${path}/3`, { body: 'tar: /home: disk full\nExit status 3' })
    await page.reload()
    await page.getByText('exit code 3', { exact: false }).first().waitFor()
    await page.getByText('The next ping is expected at').waitFor()
    const calendar = page.getByRole('table', { name: 'How the pings of each day went' })
    await calendar.getByText('failed').waitFor()
    expect(await calendar.getByText('none').count()).toBeGreaterThan(30)
    await page.getByText(`curl -fsS -m 10 --retry 5 -o /dev/null ${monitor.ping_url}`).first().waitFor()
    await page.getByRole('button', { name: 'Replace token' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replace token' }).click()
    await expect.poll(async () => (await call('GET', `/v1/monitors/${id}`)).body.ping_url).not.toBe(monitor.ping_url)
    await page.goto(`${scene.origin}/monitors/${id}/edit`)
    await page.getByLabel('Grace').fill('1h')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await call('GET', `/v1/monitors/${id}`)).body.options.schedule.grace_seconds).toBe(3_600)
    expect(scene.complaints).toEqual([])
  })
})
