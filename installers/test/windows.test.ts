import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { makeMsi } from '../build/windows.ts'
import { createBuild } from './build.ts'

const read = (name: string) => readFileSync(join(import.meta.dirname, '..', name), 'utf8')

describe.skipIf(isMissing('wixl', 'msibuild', 'msiinfo'))('the .msi, of empty files', () => {
  const build = createBuild()
  let made = ''
  beforeAll(async () => {
    const folder = join(build.work, 'tree')
    const files = [
      'bin/vedette-agent.exe',
      ...['LICENSES.txt', 'agent.yaml', 'units/vedette-agent.task.xml'].map((name) => `share/vedette-agent/${name}`),
    ]
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), '')
    }
    mkdirSync(build.out)
    made = join(build.out, await makeMsi(build, folder))
  })
  afterAll(() => rmSync(build.work, { recursive: true }))

  const rowsOf = (table: string) =>
    execFileSync('msiinfo', ['export', made, table], { encoding: 'utf8' }).trimEnd().split(/\r?\n/).slice(3)

  test('is found by the next version: Windows compares codes in upper case', () => {
    const code =
      rowsOf('Property')
        .find((row) => row.startsWith('UpgradeCode'))
        ?.split('\t')[1] ?? ''
    expect(code).toMatch(/^\{[0-9A-F-]{36}\}$/)
    expect(rowsOf('Upgrade').map((row) => row.split('\t')[0])).toEqual([code, code])
  })

  test('never restarts Windows', () => expect(rowsOf('Property')).toContain('REBOOT\tReallySuppress'))

  test('is refused where the set-up or install.ps1 installed the agent, and names what removes that', () => {
    expect(
      rowsOf('LaunchCondition')
        .map((row) => row.split('\t'))
        .slice(1),
    ).toEqual([
      ['Installed OR NOT SETUPAGENT', expect.stringContaining('Remove it in Settings')],
      ['Installed OR NOT SCRIPTAGENT', expect.stringContaining('install.ps1 -Uninstall')],
    ])
    expect(rowsOf('RegLocator')).toEqual([
      'SetupAgent\t2\tSoftware\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\Vedette agent\tUninstallString\t18',
      'ScriptAgent\t2\tSoftware\\Vedette\tScriptFolder\t18',
    ])
  })

  test('checks whose folder the data is before it writes there, and ends if that is not the system’s', () => {
    const action = rowsOf('CustomAction')
      .map((row) => row.split('\t'))
      .find(([name]) => name === 'RefuseState')
    // A program named by a property, deferred, as the system; a failure ends the installation.
    expect(action?.slice(1, 3)).toEqual(['3122', 'POWERSHELL'])
    // Windows Installer reads brackets and braces itself.
    expect(action?.[3]).toMatch(/^-NoProfile -NonInteractive -Command "[^[\]{}"]+"$/)
    const at = (name: string) =>
      Number(
        rowsOf('InstallExecuteSequence')
          .map((row) => row.split('\t'))
          .find(([key]) => key === name)?.[2],
      )
    const order = ['NamePowershell', 'InstallInitialize', 'RefuseState', 'InstallFiles', 'GrantState']
    expect(order.toSorted((a, b) => at(a) - at(b))).toEqual(order)
  })
})

test('the set-up and install.ps1 refuse the agent of the other ways, and the data folder of another account', () => {
  const setup = read('packages/vedette-agent.nsi')
  const script = read('scripts/install.ps1')
  expect(setup).toContain(String.raw`$PROGRAMFILES64\Vedette Agent\bin\vedette-agent.exe`)
  expect(setup).toContain('install.ps1 -Uninstall')
  expect(script).toContain(String.raw`'Vedette\vedette-agent.exe'`)
  // The order inside of Main, and before the first change.
  const main = script.slice(script.indexOf('function Main'))
  expect(main.indexOf('Assert-NoOther')).toBeGreaterThan(0)
  expect(main.indexOf('Assert-NoOther')).toBeLessThan(main.indexOf('Uninstall-Agent'))
  expect(main.indexOf('Assert-OwnData')).toBeLessThan(main.indexOf('Install-Files'))
  // One rule in three languages: the owner is the system or the administrators, and it is no link.
  for (const text of [setup, script, read('packages/vedette-agent.wxs')]) {
    expect(text).toContain('^O:(BA|SY)')
    expect(text).toContain('ReparsePoint')
  }
})
