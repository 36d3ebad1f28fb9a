import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isMissing, VEDETTE } from '../../../../../scripts/test-tools.ts'
import { ADMIN, makeWorkbench, processesOf, readiness } from '../../../../test/e2e/workbench.ts'
import { startTestBackend, TEST_SECRET } from '../../../../test/harness.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { systemClock } from '../../../platform/time/clock.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import type { CommandContext } from '../command.ts'
import { COMMANDS } from '../commands.ts'
import { runVedette } from './run-vedette.ts'

const bench = makeWorkbench()
afterAll(() => bench.cleanUp())

it('commands work on the embedded database while an instance runs, and without one', { timeout: 180_000 }, async () => {
  const dataDir = join(bench.makeFolder(), 'data')
  const settings = { VEDETTE_DATA_DIR: dataDir }
  const instance = await bench.start({ dataDir, command: 'serve', environment: ADMIN })
  const created = await runVedette(['key', 'create', '--name', 'read', '--scopes', 'read', '--json'], settings)
  expect(created).toMatchObject({ code: 0, json: { name: 'read' } })
  const response = await fetch(`${instance.url}/v1/servers`, { headers: { 'x-api-key': created.json.key } })
  expect(response.status).toBe(200)
  expect(await instance.stop()).toMatchObject({ code: 0 })

  const alone = await runVedette(['org', 'list', '--json'], settings)
  expect(alone).toMatchObject({ code: 0, json: { organizations: [{ plan: 'enterprise', members: 1 }] } })
  expect(processesOf(dataDir)).toEqual([])
  expect((await runVedette(['migrate', '--json'], settings)).json).toEqual({ applied: [] })
})

it('an export or backup of an installation without an organization fails without --allow-empty, and writes no file', async () => {
  const dataDir = join(bench.makeFolder(), 'data')
  const instance = await bench.start({ dataDir, command: 'serve' })
  const file = join(bench.makeFolder(), 'backup')
  const { code, json } = await runVedette(['export', file, '--json'], { VEDETTE_DATA_DIR: dataDir })
  expect([code, json.error.message]).toEqual([1, expect.stringContaining('has no organization')])
  expect(existsSync(file)).toBe(false)
  const folder = bench.makeFolder()
  const settings = { VEDETTE_DATA_DIR: dataDir }
  const refused = await runVedette(['backup', '--to', folder], settings)
  expect([refused.code, refused.stderr, readdirSync(folder)]).toEqual([1, expect.stringContaining('--allow-empty'), []])
  expect((await runVedette(['backup', '--to', folder, '--allow-empty'], settings)).code).toBe(0)
  expect((await runVedette(['export', file, '--allow-empty'], settings)).code).toBe(0)
  expect([existsSync(file), readdirSync(folder).length]).toEqual([true, 1])
  await instance.stop()
})

describe.skipIf(isMissing('root', 'unshare', 'mount'))('a command on a host with the service', () => {
  /** Runs a command where systemd has the unit of this program and /var/lib is empty, then lists /var/lib. */
  async function runWithUnit(settings: string, args: string[], listing = 'ls /var/lib') {
    const folder = bench.makeFolder()
    const unit = `[Service]\nUser=nobody\nEnvironmentFile=${folder}/vedette.env\nExecStart=${process.execPath} ${VEDETTE} start\n`
    writeFileSync(join(folder, 'vedette.service'), unit)
    writeFileSync(join(folder, 'vedette.env'), settings)
    const script = `mount -t tmpfs none /etc/systemd/system && mount -t tmpfs none /var/lib || exit 99
      cp ${folder}/vedette.service /etc/systemd/system; "$@"; code=$?; ${listing}; exit $code`
    const program = ['unshare', '-m', 'sh', '-c', script, 'sh', process.execPath, VEDETTE, ...args]
    return bench.run(program, { HOME: '/nowhere' }).ended
  }

  it('has the settings of the service and exports its organization', async () => {
    const dataDir = join(bench.makeFolder(), 'data')
    const instance = await bench.start({ dataDir, command: 'serve', environment: ADMIN })
    const file = join(bench.makeFolder(), 'backup')
    const { code, output } = await runWithUnit(`VEDETTE_DATA_DIR=${dataDir}\n`, ['export', file, '--json'])
    expect([code, JSON.parse(output)]).toMatchObject([0, { rows: { organization: 1, membership: 1 } }])
    await instance.stop()
  })

  it('restores into a data folder that it makes for the user of the service', { timeout: 180_000 }, async () => {
    const source = await startTestBackend()
    await source.organization('Acme')
    const [fingerprint] = createSecrets([TEST_SECRET]).fingerprints()
    const claim = `insert into setting (name, value, updated_at) values ('secret_fingerprint', to_jsonb($1::text), now())`
    await source.pool.pg.query(claim, [fingerprint])
    const [archive, secret] = [join(bench.makeFolder(), 'archive'), join(bench.makeFolder(), 'secret.key')]
    expect((await runVedette(['export', archive], { DATABASE_URL: source.databaseUrl })).code).toBe(0)
    writeFileSync(secret, TEST_SECRET, { mode: 0o600 })
    const { code, output } = await runWithUnit(
      'VEDETTE_DATA_DIR=/var/lib/vedette-backend\n',
      ['restore', archive, '--secret-file', secret],
      'find /var/lib/vedette-backend -printf "%U %m %P\\n"',
    )
    expect([code, output]).toEqual([0, expect.stringMatching(/1 organizations, .* restored into \/var\/lib\/vedette-backend/)])
    const files = output.split('\n').filter((line) => /^\d+ \d+ /.test(line))
    expect([files.length > 100, files.filter((line) => !line.startsWith('65534 '))]).toEqual([true, []])
    expect(files.filter((line) => /^\d+ \d+ (secret\.key)?$/.test(line)).toSorted()).toEqual([
      '65534 600 secret.key',
      '65534 700 ',
    ])
    await source.close()
  })

  it('is refused if the settings name no installation, and creates none', async () => {
    const { code, output } = await runWithUnit('', ['export', join(bench.makeFolder(), 'backup')])
    expect([code, output]).toEqual([1, expect.stringMatching(/^vedette: There is no database in \/var\/lib\/vedette\..*\n$/)])
  })
})

describe.skipIf(isMissing('root', 'setpriv'))('root, on the data folder of another user', () => {
  const NOBODY = 65_534
  const owners = (...paths: string[]) => paths.map((path) => statSync(path).uid)

  it('restores a backup into it and then exports the service, and all that is there stays the user’s', {
    timeout: 180_000,
  }, async () => {
    const [source, folder] = [await startTestBackend(), bench.makeFolder()]
    const [dataDir, archive, copy] = [join(folder, 'data'), join(folder, 'archive'), join(folder, 'copy')]
    const settings = { VEDETTE_DATA_DIR: dataDir }
    await source.organization('Acme')
    chmodSync(folder, 0o711)
    mkdirSync(dataDir, { mode: 0o700 })
    writeFileSync(join(dataDir, 'secret.key'), TEST_SECRET, { mode: 0o600 })
    for (const path of [dataDir, join(dataDir, 'secret.key')]) chownSync(path, NOBODY, NOBODY)
    expect((await runVedette(['export', archive], { DATABASE_URL: source.databaseUrl })).code).toBe(0)

    const restored = await runVedette(['restore', archive, '--json'], settings)
    expect(restored).toMatchObject({ code: 0, json: { how: 'restored', rows: { organization: 1 } } })
    // The archive stays root's alone: it was opened before root became the user.
    expect([owners(archive), statSync(archive).mode & 0o777]).toEqual([[0], 0o600])
    expect(owners(dataDir, join(dataDir, 'postgres'), join(dataDir, 'postgres.passwords.json'))).toEqual([NOBODY, NOBODY, NOBODY])

    const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', process.execPath, VEDETTE, 'serve']
    const service = bench.run(asNobody, { ...settings, VEDETTE_PORT: '0' })
    await readiness(service)
    const exported = await runVedette(['export', copy, '--json'], settings)
    expect(exported).toMatchObject({ code: 0, json: { rows: { organization: 1 } } })
    expect(owners(copy)).toEqual([0])
    process.kill(service.pid, 'SIGTERM')
    await service.ended
    await source.close()
  })
})

describe('a data folder without a database', () => {
  const PARAMETERS = {
    file: '/nowhere/file',
    'org_…': 'org_01h455vb4pex5vsknk084sn02q',
    plan: 'pro',
    id: 'eu',
    name: 'allow-private-targets',
  }
  const OPTIONS = { email: 'a@example.com', name: 'name', scopes: 'read' }
  const tasks = COMMANDS.flatMap((command) => ('run' in command ? [command] : []))
  // An import or restore fills a new database; the others of these need none, or say so as a finding.
  const others = new Set([
    'import',
    'restore',
    'doctor',
    'completion',
    'man',
    'version',
    'config check',
    'probe check',
    'service install',
    'service uninstall',
    'service status',
    // These send requests to an installation.
    'plan',
    'apply',
    'undo',
    'drift',
    'pull',
    'migrate-from',
    'oncall-diff',
  ])

  it.each(tasks.filter(({ name }) => !others.has(name)).map((task) => [task.name, task] as const))(
    'is refused by %s, which makes none',
    async (_, task) => {
      const dataDir = join(bench.makeFolder(), 'data')
      const world: CommandContext = {
        version: 'test',
        environment: { VEDETTE_DATA_DIR: dataDir },
        processEnvironment: {},
        defaultDataDir: dataDir,
        clock: systemClock,
        createLog: () => silentLog,
        readInput: async () => '',
        announce: () => undefined,
        show: undefined,
      }
      const call = {
        parameters: { ...PARAMETERS, 'on|off': 'on' },
        options: task.name === 'backup' ? { to: '/nowhere' } : OPTIONS,
      }
      await expect(async () => task.run(call, world)).rejects.toThrow(`There is no database in ${dataDir}.`)
      expect(existsSync(dataDir)).toBe(false)
    },
  )
})

it('work maintains the partitions of the database, and stops cleanly [START-34]', { timeout: 180_000 }, async () => {
  const backend = await startTestBackend()
  const { pg } = backend.pool
  await pg.query(`do $$ declare part regclass; begin
    for part in select inhrelid from pg_inherits where inhparent = 'metric_push'::regclass loop
      execute 'drop table ' || part;
    end loop; end $$`)
  const environment = { DATABASE_URL: backend.databaseUrl, VEDETTE_DATA_DIR: join(bench.makeFolder(), 'data') }
  const program = bench.run([process.execPath, VEDETTE, 'work'], environment)
  expect((await readiness(program)).url).toBe('work')
  const { rows } = await pg.query(`select from pg_inherits where inhparent = 'metric_push'::regclass`)
  expect(rows).toHaveLength(5)
  process.kill(program.pid, 'SIGTERM')
  expect(await program.ended).toMatchObject({ code: 0, output: expect.stringContaining('stopped') })
  await backend.close()
})

it('a service with --json prints one JSON document per line [START-34]', { timeout: 180_000 }, async () => {
  const backend = await startTestBackend()
  const environment = { DATABASE_URL: backend.databaseUrl, VEDETTE_DATA_DIR: join(bench.makeFolder(), 'data'), VEDETTE_PORT: '0' }
  const program = bench.run([process.execPath, VEDETTE, 'serve', '--json'], { ...environment, VEDETTE_LOG_LEVEL: 'silent' })
  const lines = () =>
    program
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; text: string })
  await expect.poll(() => program.output(), { timeout: 60_000 }).toContain('"event":"ready"')
  expect(lines().find(({ event }) => event === 'ready')?.text).toMatch(/^http:\/\/127\.0\.0\.1:\d+/)
  process.kill(program.pid, 'SIGTERM')
  expect((await program.ended).code).toBe(0)
  expect(lines().at(-1)).toEqual({ event: 'stopped', text: '' })
  await backend.close()
})

describe('a secret of the environment', () => {
  const secret = 'planted-in-the-environment-and-long-enough'
  const away = {
    DATABASE_URL: `postgres://vedette:${secret}@127.0.0.1:1/vedette`,
    VEDETTE_SMTP_URL: `smtp://user:${secret}@127.0.0.1:1?from=a@example.com`,
    VEDETTE_SECRET_KEYS: secret,
    VEDETTE_METRICS_TOKEN: secret,
    VEDETTE_SECURITY_LOG_URL: `https://user:${secret}@127.0.0.1:1/`,
    VEDETTE_OTLP_URL: `http://127.0.0.1:1/${secret}`,
    VEDETTE_OTLP_HEADERS: `authorization=${secret}`,
    VEDETTE_DEAD_MAN_URL: `http://127.0.0.1:1/${secret}`,
    VEDETTE_ADMIN_EMAIL: 'ada@example.com',
    VEDETTE_ADMIN_PASSWORD: secret,
  }
  const commands = [
    'serve',
    'status',
    'doctor',
    'config check',
    'probe check',
    'org list',
    'migrate',
    'security-log',
    'export FILE',
    'backup --to FILE',
  ]

  it.each(commands)('is in nothing that `vedette %s` prints while the database is away', async (command) => {
    const folder = bench.makeFolder()
    const args = command.replace('FILE', join(folder, 'file')).split(' ')
    const end = await bench.run([process.execPath, VEDETTE, ...args], { ...away, VEDETTE_DATA_DIR: join(folder, 'data') }).ended
    expect([end.output === '', end.output.includes(secret)]).toEqual([false, false])
  })

  it.each([
    ['DATABASE_URL', `postgres://u:${secret}@h:notaport/x`, 'DATABASE_URL is not a valid URL'],
    ['DATABASE_URL', `postgres://u:${secret}@[::1/x`, 'DATABASE_URL is not a valid URL'],
    ['DATABASE_URL', `mysql://u:${secret}@h/x`, 'DATABASE_URL must look like'],
    ['VEDETTE_SMTP_URL', `smtp://u:${secret}@h:99999`, 'VEDETTE_SMTP_URL must look like'],
    ['VEDETTE_OTLP_HEADERS', `a=${secret},b`, 'VEDETTE_OTLP_HEADERS must be a comma-separated list'],
    ['VEDETTE_SECURITY_LOG_URL', `ftp://u:${secret}@h`, 'VEDETTE_SECURITY_LOG_URL must look like'],
  ])('is not in the error of an invalid %s (%s)', async (name, value, message) => {
    const end = await bench.run([process.execPath, VEDETTE, 'status'], { [name]: value }).ended
    expect([end.code, end.output.includes(message), end.output.includes(secret)]).toEqual([2, true, false])
  })
})
