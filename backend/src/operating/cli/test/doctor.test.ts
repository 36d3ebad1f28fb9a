import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort, isMissing, VEDETTE } from '../../../../../scripts/test-tools.ts'
import { ADMIN, makeWorkbench, processesOf, readiness } from '../../../../test/e2e/workbench.ts'
import { startTestBackend, TEST_SECRET, type TestBackend } from '../../../../test/harness.ts'
import { startTestSmtp } from '../../../../test/smtp.ts'
import { backupName } from '../../archive/index.ts'
import { backupFolderOf } from '../systemd.ts'
import { callVedette, runVedette } from './run-vedette.ts'

const bench = makeWorkbench()
afterAll(() => bench.cleanUp())

interface Finding {
  subject: string
  state: string
  detail: string
  remedy: string | null
}

const examine = (settings: Record<string, string>, ...options: string[]) => examineBy(callVedette, settings, options)
const examineFromOutside = (settings: Record<string, string>, ...options: string[]) => examineBy(runVedette, settings, options)

async function examineBy(run: typeof runVedette, settings: Record<string, string>, options: readonly string[]) {
  const { code, json, stderr } = await run(['doctor', '--json', ...options], settings)
  const findings = json?.findings as Finding[]
  const of = (subject: string) => findings.filter((finding) => finding.subject === subject)
  return {
    code,
    stderr,
    isWell: json?.is_well as boolean,
    findings,
    of,
    faults: findings?.filter(({ state }) => state === 'fault'),
  }
}

/** A folder of backups with one that was made now. */
function makeBackups(): string {
  const folder = bench.makeFolder()
  writeFileSync(join(folder, backupName(Date.now())), 'a backup')
  return folder
}

it('doctor finds nothing wrong with an installation that runs, and warns of one that is stopped', async () => {
  const dataDir = join(bench.makeFolder(), 'data')
  const port = String(await freePort())
  const settings = { VEDETTE_DATA_DIR: dataDir, VEDETTE_PORT: port, VEDETTE_PUBLIC_URL: `http://127.0.0.1:${port}` }
  const backups = makeBackups()
  const instance = await bench.start({ dataDir, command: 'serve', environment: { ...ADMIN, ...settings } })
  const running = await examineFromOutside(settings, '--to', backups)
  expect(running).toMatchObject({ code: 0, isWell: true, faults: [] })
  expect([...new Set(running.findings.map(({ subject }) => subject))].toSorted()).toEqual(
    ['backups', 'channels', 'clock', 'data folder', 'database', 'disk', 'instances', 'jobs', 'mail server', 'partitions'].concat(
      'port',
      'public URL',
      'rights',
      'schema',
    ),
  )
  expect([running.of('clock').length, running.of('instances')]).toMatchObject([2, [{ state: 'ok' }]])
  await instance.stop()

  const before = readdirSync(dataDir).toSorted()
  const stopped = await examineFromOutside(settings, '--to', backups)
  expect(stopped).toMatchObject({ code: 0, isWell: true, faults: [] })
  expect(stopped.of('instances')).toMatchObject([{ state: 'warning', detail: 'none runs on this database' }])
  expect([stopped.of('port'), stopped.of('public URL'), stopped.of('database')]).toMatchObject([
    [{ state: 'warning', remedy: expect.stringContaining('systemctl start vedette') }],
    [{ state: 'warning' }],
    [{ state: 'ok', detail: expect.stringMatching(/PostgreSQL \d+.*\(embedded\) answers in [\d.]+ ms/) }],
  ])
  expect([processesOf(dataDir), readdirSync(dataDir).toSorted()]).toEqual([[], before])
  const text = await runVedette(['doctor', '--to', backups], settings)
  expect(text.stdout.trim().split('\n')).toHaveLength(stopped.findings.length)
})

it.skipIf(isMissing('root', 'setpriv'))(
  'doctor of root examines the data folder of a service, running or not, and leaves it the service’s',
  async () => {
    const NOBODY = 65_534
    const folder = bench.makeFolder()
    const dataDir = join(folder, 'data')
    const settings = { VEDETTE_DATA_DIR: dataDir, VEDETTE_PORT: String(await freePort()) }
    mkdirSync(dataDir, { mode: 0o700 })
    chownSync(dataDir, NOBODY, NOBODY)
    const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', process.execPath, VEDETTE, 'serve']
    const service = bench.run(asNobody, { ...settings, ...ADMIN })
    await readiness(service)
    const backups = makeBackups()
    expect(await examineFromOutside(settings, '--to', backups)).toMatchObject({ code: 0, faults: [] })
    process.kill(service.pid, 'SIGTERM')
    await service.ended
    const stopped = await examineFromOutside(settings, '--to', backups)
    expect(stopped).toMatchObject({ code: 0, faults: [] })
    expect(stopped.of('instances')).toHaveLength(1)
    const owners = readdirSync(dataDir, { recursive: true }).map((name) => statSync(join(dataDir, String(name))).uid)
    expect([...new Set(owners)]).toEqual([NOBODY])
  },
)

describe('doctor reports as a fault, with exit code 1 and what to do,', () => {
  let backend: TestBackend
  const closing: (() => unknown)[] = []
  beforeAll(async () => {
    backend = await startTestBackend({ startMs: Date.now() })
    await backend.organization('Acme')
  })
  afterAll(async () => {
    for (const close of closing) await close()
    await backend.close()
  })

  /** The settings of an installation on the external database that has no fault. */
  function soundSettings() {
    const dataDir = join(bench.makeFolder(), 'data')
    mkdirSync(dataDir, { mode: 0o700 })
    writeFileSync(join(dataDir, 'secret.key'), TEST_SECRET, { mode: 0o600 })
    return { DATABASE_URL: backend.databaseUrl, VEDETTE_DATA_DIR: dataDir, VEDETTE_PORT: '0' }
  }
  type Settings = Record<string, string> & { VEDETTE_DATA_DIR: string }
  const listening = async (body: string) => {
    const server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    closing.push(() => server.close())
    return String((server.address() as AddressInfo).port)
  }
  const secretOf = ({ VEDETTE_DATA_DIR: folder }: Settings) => join(folder, 'secret.key')

  it('none of an installation without one', async () => {
    expect(await examine(soundSettings(), '--to', makeBackups())).toMatchObject({ code: 0, isWell: true, faults: [] })
  })

  it('an embedded database that is not there, and makes none', async () => {
    const dataDir = join(bench.makeFolder(), 'data')
    const { code, faults } = await examine({ VEDETTE_DATA_DIR: dataDir, VEDETTE_PORT: '0' }, '--to', makeBackups())
    expect([code, faults]).toMatchObject([
      1,
      [{ subject: 'data folder' }, { detail: expect.stringMatching(/^There is no database in/) }],
    ])
    expect(existsSync(dataDir)).toBe(false)
  })

  it.each<[string, string, RegExp, RegExp, (settings: Settings) => unknown]>([
    [
      'a data folder that is missing',
      'data folder',
      /ENOENT/,
      /VEDETTE_DATA_DIR/,
      (s) => rmSync(s.VEDETTE_DATA_DIR, { recursive: true }),
    ],
    [
      'a data folder that others may write to',
      'rights',
      /other users can write/,
      /chmod go-w/,
      (s) => chmodSync(s.VEDETTE_DATA_DIR, 0o777),
    ],
    [
      'a secret that others can read',
      'rights',
      /other users can read .*secret\.key/,
      /chmod 600/,
      (s) => chmodSync(secretOf(s), 0o644),
    ],
    ['a secret that is missing', 'rights', /secret\.key.*ENOENT/, /VEDETTE_SECRET_KEYS/, (s) => rmSync(secretOf(s))],
    [
      'a secret that is a link',
      'rights',
      /is no regular file/,
      /Remove it/,
      (s) => {
        rmSync(secretOf(s))
        symlinkSync('/etc/hostname', secretOf(s))
      },
    ],
    [
      'another program on its port',
      'port',
      /another program answers/,
      /VEDETTE_PORT/,
      async (s) => (s['VEDETTE_PORT'] = await listening('hello')),
    ],
    [
      'an address that this host does not have',
      'port',
      /not an address of this host|another program/,
      /VEDETTE_/,
      (s) => Object.assign(s, { VEDETTE_HOST: 'no.such.host.invalid', VEDETTE_PORT: '8080' }),
    ],
    [
      'a certificate that cannot be read',
      'certificate',
      /cannot be read/,
      /PEM/,
      (s) => Object.assign(s, { VEDETTE_TLS_CERT_FILE: '/nowhere', VEDETTE_TLS_KEY_FILE: '/nowhere' }),
    ],
    [
      'a mail server that is away',
      'mail server',
      /cannot be reached/,
      /VEDETTE_SMTP_URL/,
      async (s) => (s['VEDETTE_SMTP_URL'] = `smtp://127.0.0.1:${await freePort()}`),
    ],
    [
      'a database that is away',
      'database',
      /does not accept the connection/,
      /DATABASE_URL/,
      async (s) => (s['DATABASE_URL'] = `postgres://u:hidden@127.0.0.1:${await freePort()}/v`),
    ],
    ['a replica that is none', 'replica', /no replica/, /remove it/, (s) => (s['DATABASE_READ_URL'] = backend.databaseUrl)],
  ])('%s', async (_what, subject, detail, remedy, spoil) => {
    const settings: Settings = soundSettings()
    await spoil(settings)
    const { code, isWell, faults } = await examine(settings, '--to', makeBackups())
    expect([code, isWell, faults]).toMatchObject([
      1,
      false,
      [{ subject, detail: expect.stringMatching(detail), remedy: expect.stringMatching(remedy) }],
    ])
    expect(JSON.stringify(faults)).not.toMatch(/\\n|hidden/)
  })

  it('a mail server that refuses the login, without the password; it sends nothing', async () => {
    const smtp = await startTestSmtp({ authOptional: false, onAuth: (_auth, _session, done) => done(new Error('no')) })
    closing.push(() => smtp.close())
    const url = smtp.url.replace('//', '//somebody:hidden@')
    const { code, faults } = await examine({ ...soundSettings(), VEDETTE_SMTP_URL: `${url}?tls=off` }, '--to', makeBackups())
    expect([code, faults]).toMatchObject([1, [{ subject: 'mail server', detail: 'The mail server refused the login (535).' }]])
    expect([JSON.stringify(faults).includes('hidden'), smtp.mails]).toEqual([false, []])
  })

  it('backups that are missing or older than 36 hours', async () => {
    const [none, old] = [bench.makeFolder(), bench.makeFolder()]
    writeFileSync(join(old, backupName(Date.now() - 36 * 3_600_000)), '')
    for (const [folder, detail] of [
      [none, /there is no backup/],
      [old, /36 hours old/],
      ['/nowhere', /ENOENT/],
    ] as const)
      expect(await examine(soundSettings(), '--to', folder)).toMatchObject({
        code: 1,
        faults: [{ subject: 'backups', detail: expect.stringMatching(detail) }],
      })
    const recent = bench.makeFolder()
    writeFileSync(join(recent, backupName(Date.now() - 35.9 * 3_600_000)), '')
    expect(await examine(soundSettings(), '--to', recent)).toMatchObject({ code: 0 })
    expect((await examine(soundSettings())).of('backups')).toMatchObject([{ state: 'warning' }])
  })

  it('partitions that are missing, and names channels that fail, without control characters', async () => {
    const { pg } = backend.pool
    const settings = soundSettings()
    await pg.query(`insert into instance (id, started_at, alive_at) values (gen_random_uuid(), now(), now())`)
    await pg.query(`insert into channel (organization, id, name, type, enabled, config, secrets_encrypted, created_at, last_error)
      select number, gen_random_uuid(), E'pager\\u001b[31m\\u202e', 'webhook', true, '{}', '', now(),
        '{"at":"2026-11-21T09:24:31.204Z","code":"refused","message":"410","attempts":3}' from organization`)
    const { rows } = await pg.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_event'::regclass order by 1 desc limit 3`,
    )
    for (const { name } of rows) await pg.query(`drop table ${name}`)
    const { code, faults, of } = await examine(settings, '--to', makeBackups())
    expect([code, faults]).toMatchObject([1, [{ subject: 'partitions', remedy: expect.stringContaining('Restart') }]])
    expect(of('channels')).toMatchObject([{ state: 'warning', detail: expect.stringContaining('failed 3 times') }])
    const text = await callVedette(['doctor', '--to', makeBackups()], settings)
    expect(text).toMatchObject({ code: 1, stdout: expect.stringContaining('pager?[31m?') })
    expect(text.stdout).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
  })
})

it('doctor finds the folder of the backups in the unit of an enabled timer, a drop-in before the package', () => {
  const root = bench.makeFolder()
  expect(backupFolderOf(root)).toBeUndefined()
  const write = (folder: string, name: string, text: string) => {
    mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(join(root, folder, name), text)
  }
  write(
    'lib/systemd/system',
    'vedette-backup.service',
    '[Service]\nExecStart=/usr/bin/vedette backup --to /var/backups/vedette --keep 7\n',
  )
  expect(backupFolderOf(root)).toBeUndefined()
  mkdirSync(join(root, 'etc/systemd/system/timers.target.wants'), { recursive: true })
  symlinkSync(
    '/lib/systemd/system/vedette-backup.timer',
    join(root, 'etc/systemd/system/timers.target.wants/vedette-backup.timer'),
  )
  expect(backupFolderOf(root)).toBe('/var/backups/vedette')
  write(
    'etc/systemd/system/vedette-backup.service.d',
    'folder.conf',
    '[Service]\nExecStart=\nExecStart=/usr/bin/vedette backup --to /mnt/b\n',
  )
  expect(backupFolderOf(root)).toBe('/mnt/b')
})
