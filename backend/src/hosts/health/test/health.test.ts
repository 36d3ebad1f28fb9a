import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { readPresence } from '../../servers/index.ts'
import { evaluateHealth } from '../index.ts'
import { measure, type MeasuredServer, startBeating } from '../../../../test/measured-server.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
let instance: ReturnType<typeof startBeating>
let server: MeasuredServer
beforeAll(async () => {
  backend = await startTestBackend()
  instance = startBeating(backend)
})
afterAll(() => backend.close())
beforeEach(async () => {
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
  server = await measure(backend, organization)
})

const call = async (method: string, url: string, body?: unknown) => (await backend.call(method, url, { as: admin, body })).body
const healthOf = async ({ id } = server) => (await call('GET', `/v1/servers/${id}`)).health
/** Published so far, oldest first. */
const events = async () => {
  const rows = backend.pool.db.selectFrom('live_event').select('data').where('type', '=', 'server.health_changed')
  const own = await rows.where('organization', '=', organization.number).orderBy('at').orderBy('id').execute()
  return own.map(({ data }) => data)
}

const disk = (values: object, name = 'sda') => ({ kind: 'disk', name, values, attributes: { model: 'Spinner 4' } })
const unit = (failed: number) => ({ kind: 'unit', name: 'nginx.service', values: { failed } })
const broken = disk({ healthy: 1, reallocated_sectors: 312 })

/** A minute passes, and the server pushes this at its end. */
async function minute(more: Parameters<MeasuredServer['sends']>[1] = {}, one = server): Promise<void> {
  backend.clock.advance(55_000)
  await instance.beat()
  await one.sends({ 'cpu.percent': [1] }, more)
  backend.clock.advance(5_000)
  await instance.beat()
  await backend.jobs.evaluateServers()
}

describe('the health of a server', () => {
  it('is ok without a push and after one with nothing wrong', async () => {
    expect(await healthOf()).toEqual({ status: 'ok', findings: [] })
    await minute({ entities: [disk({ healthy: 1 }), unit(0)] })
    expect(await healthOf()).toEqual({ status: 'ok', findings: [] })
    expect(await events()).toEqual([])
  })

  it('has what is found, worst first, with the entity and since when, until it has ended', async () => {
    await minute({ entities: [unit(1), broken] })
    const { entities } = await call('GET', `/v1/servers/${server.id}/entities`)
    const idOf = (name: string) => entities.find((entity: { name: string }) => entity.name === name).id
    const since = new Date(backend.clock.now() - 5_000).toISOString()
    const found = {
      status: 'critical',
      findings: [
        {
          code: 'disk_failing',
          severity: 'critical',
          text: 'Disk sda has 312 reallocated sectors (limit 50)',
          since,
          entity_id: idOf('sda'),
          field: 'reallocated_sectors',
          value: 312,
          limit: 50,
        },
        {
          code: 'unit_failed',
          severity: 'warning',
          text: 'Unit nginx.service has failed',
          since,
          entity_id: idOf('nginx.service'),
          field: 'failed',
          value: null,
          limit: null,
        },
      ],
    }
    expect(await healthOf()).toEqual(found)
    await minute({ entities: [unit(1), disk({ healthy: 1, reallocated_sectors: 313 })] })
    const later = await healthOf()
    expect(later.findings[0]).toMatchObject({ since, value: 313 })
    await minute({ entities: [unit(0), broken] })
    expect(await healthOf()).toEqual({ status: 'critical', findings: [found.findings[0]] })
  })

  it('comes from the state of the host, too', async () => {
    const filesystems = [
      { mount: '/', fs_type: 'ext4', used_bytes: 98e9, total_bytes: 100e9, percent: 98, inodes_percent: 99.5 },
      { mount: '/snap/core/1', fs_type: 'squashfs', used_bytes: 1e6, total_bytes: 1e6, percent: 100 },
    ]
    await minute({ filesystems, host: { failed_units: ['a.service'], reboot_required: true, clock_offset_seconds: 45 } })
    await backend.vedette.flushAll()
    await minute()
    backend.clock.advance(600_000)
    await minute()
    const { findings } = await healthOf()
    expect(findings.map(({ code, field }: { code: string; field: string }) => [code, field])).toEqual([
      ['filesystem_full', '/'],
      ['inodes_full', '/'],
      ['unit_failed', 'failed'],
      ['clock_off', 'clock_offset_seconds'],
      ['reboot_required', 'reboot_required'],
    ])
  })

  it('counts the ends of a container that nobody requested', async () => {
    const web = { kind: 'container', name: 'web', values: { running: 1, exit_code: 137 } }
    const died = (agoMs: number, oom: boolean) => ({
      at: new Date(backend.clock.now() + 55_000 - agoMs).toISOString(),
      kind: 'container',
      name: 'web',
      type: 'died',
      exit_code: 137,
      oom,
    })
    await minute({ entities: [web], entity_events: [died(3_000, true), died(2_000, true), died(1_000, true)] })
    const { findings } = await healthOf()
    expect(findings.map(({ text }: { text: string }) => text)).toEqual([
      'Container web was killed for lack of memory 3 times in the last 24 hours',
      'Container web restarts: it ended 3 times in 15 minutes, exit code 137',
    ])
    backend.clock.advance(15 * 60_000)
    await minute({ entities: [web] })
    expect((await healthOf()).findings).toHaveLength(1)
  })

  it('publishes each change of what is found', async () => {
    await minute({ entities: [broken] })
    await minute({ entities: [disk({ healthy: 1, reallocated_sectors: 320 })] })
    await minute({ entities: [disk({ healthy: 1, reallocated_sectors: 320 }), unit(1)] })
    // A push in which the disk did not answer ends nothing.
    await minute({ entities: [unit(1)] })
    await minute({ entities: [disk({ healthy: 1, reallocated_sectors: 0 }), unit(1)] })
    expect(await events()).toMatchObject([
      { server: { id: server.id, name: 'web-1' }, health: { status: 'critical' }, began: [{ code: 'disk_failing' }], ended: [] },
      { began: [{ code: 'unit_failed' }], ended: [] },
      { health: { status: 'warning' }, began: [], ended: [{ code: 'disk_failing' }] },
    ])
  })

  it('is stored and published once where two processes derive it at once', async () => {
    await minute({ entities: [unit(0)] })
    backend.clock.advance(60_000)
    await server.sends({ 'cpu.percent': [1] }, { entities: [unit(1)] })
    const { db } = backend.pool
    const due = () => readPresence(db, [{ organization: organization.number, id: server.uuid }])
    const derive = async () => evaluateHealth(db, await due(), new Date(backend.clock.now()))
    const both = await Promise.all([derive(), derive()])
    expect(both.map((one) => one.get(server.uuid)?.status)).toEqual(['warning', 'warning'])
    expect(await events()).toHaveLength(1)
  })

  it('has what is full soon by the forecast, also after a start, while none is made again', async () => {
    const filesystems = [{ mount: '/srv', fs_type: 'ext4', used_bytes: 80e9, total_bytes: 100e9, percent: 80 }]
    await minute({ filesystems })
    await backend.vedette.flushAll()
    const { db } = backend.pool
    const due = () => readPresence(db, [{ organization: organization.number, id: server.uuid }])
    const textsWith = async (days: number | undefined) => {
      const forecast = days === undefined ? undefined : new Map([['/srv', days]])
      const derived = await evaluateHealth(db, await due(), new Date(backend.clock.now()), {
        forecastOf: () => Promise.resolve(forecast),
      })
      return derived.get(server.uuid)?.findings.map(({ text }) => text)
    }
    expect(await textsWith(30)).toEqual([])
    expect(await textsWith(4.5)).toEqual(['/srv is full in 4.5 days if it grows as it did'])
    expect(await textsWith(undefined)).toEqual(['/srv is full in 4.5 days if it grows as it did'])
    expect(await textsWith(30)).toEqual([])
  })

  it('keeps a finding about a disk that gives nothing while another one does, until it is well', async () => {
    await minute({ entities: [broken, disk({ healthy: 1 }, 'sdb')] })
    for (const silent of [[disk({ healthy: 1 }, 'sdb')], [disk({ size_bytes: 1 }), disk({ healthy: 1 }, 'sdb')]]) {
      await minute({ entities: silent })
      expect((await healthOf()).findings).toHaveLength(1)
    }
    await minute({ entities: [disk({ healthy: 1, reallocated_sectors: 0 }), disk({ healthy: 1 }, 'sdb')] })
    expect((await healthOf()).findings).toEqual([])
    expect(await events()).toHaveLength(2)
  })

  it('counts the failed units that are not listed, and ends none that is pushed out of the list', async () => {
    const names = (...first: string[]) =>
      [...first, ...Array.from({ length: 40 }, (_, index) => `m${10 + index}.service`)].slice(0, 32)
    const pushes = async (count: number, units: string[]) => {
      backend.clock.advance(55_000)
      await instance.beat()
      await server.sends({ 'host.failed_units': [count] }, { host: { failed_units: units } })
      await backend.vedette.flushAll()
      backend.clock.advance(5_000)
      await instance.beat()
      await backend.jobs.evaluateServers()
    }
    await pushes(40, names())
    const found = async () => (await healthOf()).findings.map(({ text }: { text: string }) => text)
    expect(await found()).toHaveLength(33)
    expect(await found()).toContain('8 more units have failed')
    const before = (await events()).length
    for (let turn = 0; turn < 20; turn += 1) await pushes(turn % 2 === 0 ? 41 : 40, turn % 2 === 0 ? names('a.service') : names())
    expect(await found()).toContain('Unit m41.service has failed')
    // The first unit that fails is news; its turns are not.
    expect((await events()).length - before).toBeLessThanOrEqual(1)
    await pushes(1, ['m10.service'])
    expect(await found()).toEqual(['Unit m10.service has failed'])
  })

  it('is in German for who asks for it, and in English for all others', async () => {
    await minute({ entities: [unit(1)] })
    const textsFor = async (headers: Record<string, string>) => {
      const { body } = await backend.call('GET', `/v1/servers/${server.id}`, { as: { ...admin, ...headers } })
      return body.health.findings.map(({ text }: { text: string }) => text)
    }
    expect(await textsFor({ 'accept-language': 'de-DE,en;q=0.5' })).toEqual(['Dienst nginx.service: fehlgeschlagen'])
    expect(await textsFor({ 'accept-language': '*' })).toEqual(['Unit nginx.service has failed'])
    expect(await textsFor({})).toEqual(['Unit nginx.service has failed'])
  })

  it('is written only when it changes', async () => {
    const rows = async () =>
      (await sql`select xmin::text, derived_ms from server_health where server_id = ${server.uuid}`.execute(backend.pool.db)).rows
    await minute({ entities: [broken, unit(0)] })
    const before = await rows()
    expect(before).toHaveLength(1)
    await minute({ entities: [broken, unit(0)] })
    expect(await rows()).toEqual(before)
    await minute({ entities: [broken, unit(1)] })
    expect(await rows()).not.toEqual(before)
  })

  it('goes with the server', async () => {
    await minute({ entities: [broken] })
    await call('DELETE', `/v1/servers/${server.id}`)
    const { rows } = await sql`select 1 from server_health where server_id = ${server.uuid}`.execute(backend.pool.db)
    expect(rows).toEqual([])
  })
})

describe('a list of servers', () => {
  it('has the health of each without texts, sorts and filters by it', async () => {
    const other = await measure(backend, organization)
    const healthy = await measure(backend, organization)
    await minute({ entities: [unit(1)] })
    await minute({ entities: [broken] }, other)
    await minute({}, healthy)
    const list = async (query: string) => (await call('GET', `/v1/servers?${query}`)).servers
    const ids = async (query: string) => (await list(query)).map(({ id }: { id: string }) => id)
    expect(await ids('sort=health')).toEqual([other.id, server.id, healthy.id])
    expect(await ids('sort=-health')).toEqual([healthy.id, server.id, other.id])
    expect(await ids('sort=status')).toEqual([other.id, server.id, healthy.id])
    expect(await ids('health=warning')).toEqual([server.id])
    expect(await ids('health=ok&sort=name')).toEqual([healthy.id])
    expect(await ids('health=critical&q=web&status=online')).toEqual([other.id])
    const [worst] = await list('sort=health')
    expect(worst.health).toMatchObject({ status: 'critical', findings: [{ code: 'disk_failing', value: 312 }] })
    expect(worst.health.findings[0]).not.toHaveProperty('text')
    const [whole] = await list('sort=health&include=health')
    expect(whole.health.findings[0].text).toBe('Disk sda has 312 reallocated sectors (limit 50)')
    const { total, counts } = await call('GET', '/v1/servers?health=warning&include=counts')
    expect([total, counts.online]).toEqual([1, 1])
  })
})
