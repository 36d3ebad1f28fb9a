import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { installService, planService, type ServiceHost, type ServiceProgram, uninstallService } from './service.ts'

const UNITS = resolve(import.meta.dirname, '../../../installers/units')
const PROGRAM: ServiceProgram = { command: ['/opt/agent/bin/vedette-agent'], units: UNITS, docs: '/opt/agent/share' }

let root: string
/** What was run on the host, which knows no user and answers everything else with success. */
let calls: string[]
let host: ServiceHost
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agent-service-'))
  mkdirSync(join(root, 'run/systemd/system'), { recursive: true })
  calls = []
  host = {
    root,
    platform: 'linux',
    isAdmin: true,
    run(program, args) {
      calls.push([program, ...args].join(' ').replaceAll(root, ''))
      return { status: program === 'getent' ? 2 : args[0] === 'print' ? 113 : 0, output: '' }
    },
  }
})
afterEach(() => rmSync(root, { recursive: true }))

const at = (path: string) => join(root, path)
const unitFile = () => at('etc/systemd/system/vedette-agent.service')
function registered(state = 'var/lib/vedette'): void {
  mkdirSync(at(state), { recursive: true })
  writeFileSync(at(`${state}/identity.json`), '{}')
}
const install = (changes: Partial<ServiceHost> = {}, program = PROGRAM) => installService({ ...host, ...changes }, program, true)

describe('service install', () => {
  test('creates the user as owner of config and state, tests the program as that user, and starts the unit [AGENT-31, AGENT-33]', () => {
    registered()
    expect(install()).toEqual({ path: unitFile(), isStarted: true })
    const unit = readFileSync(unitFile(), 'utf8')
    expect(unit).toContain('\nExecStart=/opt/agent/bin/vedette-agent run\n')
    expect(unit).toContain('\nUser=vedette\n')
    expect(unit).not.toMatch(/@[A-Z]+@/)
    expect(['etc/vedette', 'var/lib/vedette'].map((path) => statSync(at(path)).mode & 0o777)).toEqual([0o700, 0o700])
    expect(calls.map((call) => call.replace(/ --system .*/, ''))).toEqual([
      'getent group vedette',
      'groupadd',
      'getent passwd vedette',
      'useradd',
      'runuser -u vedette -- /opt/agent/bin/vedette-agent version',
      'chown -R vedette /etc/vedette',
      'chown -R vedette /var/lib/vedette',
      'systemctl daemon-reload',
      'systemctl enable vedette-agent.service',
      'systemctl restart vedette-agent.service',
    ])
  })

  test('does not start the service on an unregistered host or with --no-start', () => {
    expect(install().isStarted).toBe(false)
    registered()
    expect(installService(host, PROGRAM, false).isStarted).toBe(false)
    expect(calls.filter((call) => /enable|restart/.test(call))).toEqual([])
  })

  test('accepts the units of an archive, which contain the paths of install.sh', () => {
    const units = at('units')
    mkdirSync(units)
    const text =
      'Documentation=file:/opt/vedette-agent/current/share/vedette-agent\nExecStart=/opt/vedette-agent/current/bin/vedette-agent run\n'
    writeFileSync(join(units, 'vedette-agent.service'), text)
    expect(planService(host, { ...PROGRAM, units }).unit).toBe(
      'Documentation=file:/opt/agent/share\nExecStart=/opt/agent/bin/vedette-agent run\n',
    )
  })

  test('writes an OpenRC script, with the flags of Node as arguments in a clone', () => {
    rmSync(at('run'), { recursive: true })
    mkdirSync(at('run/openrc'), { recursive: true })
    registered()
    const { path } = install({}, { ...PROGRAM, command: ['/srv/node', '--flag=1', '/srv/main.ts'] })
    expect(readFileSync(path, 'utf8')).toContain('\ncommand="/srv/node"\ncommand_args="--flag=1 /srv/main.ts run"\n')
    expect([path, statSync(path).mode & 0o777]).toEqual([at('etc/init.d/vedette-agent'), 0o755])
    expect(calls.slice(-2)).toEqual(['rc-update add vedette-agent default', 'rc-service vedette-agent restart'])
  })

  test('writes a launchd plist and reloads an existing service', () => {
    registered('Library/Application Support/Vedette/state')
    const mac = { platform: 'darwin' } as const
    install(mac)
    expect(install(mac).path).toBe(at('Library/LaunchDaemons/vedette-agent.plist'))
    expect(calls.filter((call) => call.startsWith('launchctl'))).toEqual([
      'launchctl bootstrap system /Library/LaunchDaemons/vedette-agent.plist',
      'launchctl bootout system/vedette-agent',
      'launchctl print system/vedette-agent',
      'launchctl bootstrap system /Library/LaunchDaemons/vedette-agent.plist',
    ])
  })

  test('waits until launchd has ended the old service: bootout returns before, and bootstrap fails until then', () => {
    registered('Library/Application Support/Vedette/state')
    const mac = { platform: 'darwin' } as const
    install(mac)
    let stillThere = 2
    calls = []
    install({
      ...mac,
      run(program, args) {
        if (args[0] === 'print') return { status: stillThere-- > 0 ? 0 : 113, output: '' }
        return host.run(program, args)
      },
    })
    expect(calls.slice(-4)).toEqual([
      'launchctl bootout system/vedette-agent',
      'sleep 1',
      'sleep 1',
      'launchctl bootstrap system /Library/LaunchDaemons/vedette-agent.plist',
    ])
  })

  test('fails with the reason where it is not possible and changes nothing', () => {
    expect(() => install({ isAdmin: false })).toThrow('only root')
    expect(() => install({}, { ...PROGRAM, command: ['/opt/50%/x'] })).toThrow('move the agent to another path')
    expect(() => install({}, { ...PROGRAM, command: ['/tmp/x'] })).toThrow('move the agent below /opt')
    expect(() => install({ platform: 'win32' })).toThrow('on Windows the setup program')
    mkdirSync(at('var/lib/vedette'), { recursive: true })
    for (const name of ['secret.key', 'postgres.passwords.json']) {
      writeFileSync(at(`var/lib/vedette/${name}`), '')
      expect(install).toThrow('a Vedette backend stores its data')
      rmSync(at(`var/lib/vedette/${name}`))
    }
    mkdirSync(at('lib/systemd/system'), { recursive: true })
    writeFileSync(at('lib/systemd/system/vedette-agent.service'), '')
    expect(install).toThrow('vedette-agent.service belongs to an installed package')
    rmSync(at('run'), { recursive: true })
    rmSync(at('lib'), { recursive: true })
    expect(install).toThrow('neither systemd nor OpenRC')
    expect([calls, existsSync(at('etc'))]).toEqual([[], false])
  })

  test('is refused for another program where install.sh installed the agent, and repeatable for its own', () => {
    mkdirSync(at('opt/vedette-agent'), { recursive: true })
    writeFileSync(at('opt/vedette-agent/install.json'), '{}')
    expect(install).toThrow('install.sh installed an agent in /opt/vedette-agent: remove that one first')
    expect([calls, existsSync(at('etc'))]).toEqual([[], false])
    const command = ['/opt/vedette-agent/current/bin/vedette-agent']
    expect(install({}, { ...PROGRAM, command }).path).toBe(unitFile())
  })

  test('writes no unit for a program that the user cannot run', () => {
    const run: ServiceHost['run'] = (program) => ({ status: program === 'runuser' ? 126 : 0, output: 'Permission denied' })
    expect(() => install({ run })).toThrow(/^runuser .* failed: Permission denied$/)
    expect(existsSync(unitFile())).toBe(false)
  })
})

test('service uninstall removes the unit and keeps config and state; without a unit it does nothing [AGENT-31]', () => {
  registered()
  install()
  calls = []
  expect([uninstallService(host), uninstallService(host)]).toEqual([true, false])
  expect(calls).toEqual(['systemctl disable --now vedette-agent.service', 'systemctl daemon-reload'])
  expect([existsSync(unitFile()), existsSync(at('var/lib/vedette/identity.json'))]).toEqual([false, true])
})

test('service uninstall stops and removes the timer of updates too, which would start a program that is gone', () => {
  install()
  const updates = ['service', 'timer'].map((kind) => at(`etc/systemd/system/vedette-agent-update.${kind}`))
  for (const path of updates) writeFileSync(path, '')
  calls = []
  expect(uninstallService(host)).toBe(true)
  expect(calls).toEqual([
    'systemctl disable --now vedette-agent.service',
    'systemctl disable --now vedette-agent-update.timer',
    'systemctl daemon-reload',
  ])
  expect(updates.filter((path) => existsSync(path))).toEqual([])
})
