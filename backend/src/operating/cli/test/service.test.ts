import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  installService,
  readService,
  type ServiceFiles,
  serviceAccountOf,
  serviceSettingsFile,
  type SystemdHost,
  uninstallService,
} from '../systemd.ts'
import { checkUnitPaths, fillUnit } from '../systemd-unit.ts'

const TEMPLATE = readFileSync(new URL('../../../../../installers/units/vedette.service', import.meta.url), 'utf8')
const PATHS = { program: ['/opt/vedette/bin/vedette'], docs: '/opt/vedette/share' }
const UNIT = fillUnit(TEMPLATE, PATHS)
const FILES: ServiceFiles = { unit: UNIT, settings: '# VEDETTE_PORT=8080\n', program: PATHS.program }
const USER = 'vedette-backend'

let root: string
/** What was run on the host, which knows no user and answers everything else with success. */
let calls: string[]
let host: SystemdHost
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vedette-service-'))
  mkdirSync(join(root, 'run/systemd/system'), { recursive: true })
  calls = []
  host = {
    root,
    isAdmin: true,
    run(program, args) {
      calls.push([program, ...args].join(' '))
      return { status: program === 'getent' ? 2 : 0, output: args[0] === 'is-active' ? 'active\n' : 'enabled\n' }
    },
  }
})
afterEach(() => rmSync(root, { recursive: true }))

const unitFile = () => join(root, 'etc/systemd/system/vedette.service')
const settingsFile = () => join(root, 'etc/vedette-backend/vedette.env')
const install = (changes: Partial<SystemdHost> = {}) => installService({ ...host, ...changes }, FILES, true)

describe('vedette service install', () => {
  it('service install creates the user, tries the program as that user, and starts the unit', () => {
    expect(install()).toBe(unitFile())
    expect(readFileSync(unitFile(), 'utf8')).toContain('\nExecStart=/opt/vedette/bin/vedette start\n')
    expect(UNIT).not.toMatch(/@[A-Z]+@/)
    expect(statSync(settingsFile()).mode & 0o777).toBe(0o640)
    expect(calls.map((call) => call.replace(/ --system .*/, ''))).toEqual([
      `getent group ${USER}`,
      'groupadd',
      `getent passwd ${USER}`,
      'useradd',
      `runuser -u ${USER} -- /opt/vedette/bin/vedette version`,
      `chown root:${USER} ${settingsFile()}`,
      'systemctl daemon-reload',
      'systemctl enable vedette.service',
      'systemctl restart vedette.service',
    ])
  })

  it('a second service install updates the unit and keeps the settings', () => {
    install()
    writeFileSync(settingsFile(), 'VEDETTE_PORT=9090\n')
    writeFileSync(unitFile(), 'of another version')
    expect(readService(host, UNIT)).toMatchObject({ isCurrent: false })
    install()
    expect(readService(host, UNIT)).toEqual({ unitFile: unitFile(), isCurrent: true, active: 'active', enabled: 'enabled' })
    expect(readFileSync(settingsFile(), 'utf8')).toBe('VEDETTE_PORT=9090\n')
  })

  it('service install with --no-start starts nothing', () => {
    installService(host, FILES, false)
    expect(calls.filter((call) => call.startsWith('systemctl'))).toEqual(['systemctl daemon-reload'])
  })

  it('service install is refused without root, next to a package and without systemd, and changes nothing', () => {
    expect(() => install({ isAdmin: false })).toThrow('Only root')
    mkdirSync(join(root, 'lib/systemd/system'), { recursive: true })
    writeFileSync(join(root, 'lib/systemd/system/vedette.service'), UNIT)
    expect(install).toThrow('vedette.service belongs to a package')
    rmSync(join(root, 'run'), { recursive: true })
    expect(install).toThrow('systemd is not running')
    expect([calls, existsSync(join(root, 'etc'))]).toEqual([[], false])
  })

  it('service install writes no unit for a program that its user cannot run', () => {
    const run: SystemdHost['run'] = (program) => ({ status: program === 'runuser' ? 126 : 0, output: 'Permission denied' })
    expect(() => install({ run })).toThrow(/^runuser .* failed: Permission denied$/)
    expect(existsSync(unitFile())).toBe(false)
  })

  it.each([
    '/home/ann/vedette/bin/vedette',
    '/root/vedette/bin/vedette',
    '/tmp/vedette',
    '/opt/my vedette/bin/vedette',
    '/opt/50%/x',
  ])('service install is refused for a program at %s, which the unit could not start', (program) =>
    expect(() => checkUnitPaths({ program: [program], docs: '' })).toThrow(/move Vedette (?:elsewhere|below \/opt)/),
  )
})

describe('the settings of the service', () => {
  const program = () => join(root, 'opt/vedette/bin/vedette')
  beforeEach(() => {
    mkdirSync(join(root, 'opt/vedette/bin'), { recursive: true })
    writeFileSync(program(), '')
  })

  it('are read by the commands of the program that the unit runs, and by no other program', () => {
    expect(serviceSettingsFile(root, [program()])).toBeUndefined()
    install()
    expect(serviceSettingsFile(root, [program()])).toBe(settingsFile())
    expect(serviceSettingsFile(root, ['/usr/bin/node', program()])).toBe(settingsFile())
    writeFileSync(join(root, 'opt/other'), '')
    expect(serviceSettingsFile(root, [join(root, 'opt/other')])).toBeUndefined()
  })

  it('are found from the unit of the package, whose program is a link', () => {
    mkdirSync(join(root, 'lib/systemd/system'), { recursive: true })
    mkdirSync(join(root, 'usr/bin'), { recursive: true })
    symlinkSync(program(), join(root, 'usr/bin/vedette'))
    const unit = fillUnit(TEMPLATE, { program: ['/usr/bin/vedette'], docs: '/usr/share' })
    writeFileSync(join(root, 'lib/systemd/system/vedette.service'), unit)
    expect(serviceSettingsFile(root, [program()])).toBe(settingsFile())
  })

  it('name the data folder, which the unit does not', () => {
    const settings = readFileSync(new URL('../../../../../installers/files/vedette.env', import.meta.url), 'utf8')
    expect(parseEnv(settings)).toEqual({ VEDETTE_DATA_DIR: '/var/lib/vedette-backend', VEDETTE_LOCAL_AGENT: 'off' })
    expect(TEMPLATE).not.toMatch(/^Environment=/m)
  })
})

describe('vedette service uninstall', () => {
  it('service uninstall removes the unit and keeps the settings; without a unit it does nothing', () => {
    install()
    calls = []
    expect([uninstallService(host), uninstallService(host)]).toEqual([true, false])
    expect(calls).toEqual(['systemctl disable --now vedette.service', 'systemctl daemon-reload'])
    expect([existsSync(unitFile()), existsSync(settingsFile())]).toEqual([false, true])
    expect(readService(host, UNIT)).toMatchObject({ unitFile: undefined, isCurrent: undefined, enabled: 'not-found' })
  })

  it('service uninstall refuses to remove the unit of a package', () => {
    mkdirSync(join(root, 'usr/lib/systemd/system'), { recursive: true })
    writeFileSync(join(root, 'usr/lib/systemd/system/vedette.service'), UNIT)
    expect(() => uninstallService(host)).toThrow('remove the package instead')
    expect(readService({ ...host, isAdmin: false }, UNIT)).toMatchObject({ isCurrent: undefined, enabled: 'enabled' })
  })
})

describe('the account of the service', () => {
  it('is that of the unit that runs the same program', () => {
    install()
    const known = {
      ...host,
      run: () => ({ status: 0, output: 'vedette-backend:x:990:991:Vedette:/var/lib/vedette-backend:/sbin/nologin\n' }),
    }
    mkdirSync(join(root, 'opt/vedette/bin'), { recursive: true })
    writeFileSync(join(root, 'opt/vedette/bin/vedette'), '')
    expect(serviceAccountOf(known, [join(root, 'opt/vedette/bin/vedette')])).toEqual({ uid: 990, gid: 991 })
    expect(serviceAccountOf(host, [join(root, 'opt/vedette/bin/vedette')])).toBeUndefined()
    expect(serviceAccountOf(known, ['/another/program'])).toBeUndefined()
  })
})
