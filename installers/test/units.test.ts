import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findTool, isMissing } from '../../scripts/test-tools.ts'
import { PACKAGE_PATHS, readUnit } from '../build/units.ts'
import { createBuild } from './build.ts'

test.skipIf(isMissing('systemd-analyze')).each([
  ['the agent', 'vedette-agent.service', '1.7'],
  ['the backend', 'vedette.service', '1.7'],
  ['its backup', 'vedette-backup.service', '1.7'],
  ['the reader of disks', 'vedette-smart.service', '1.9'],
])('systemd rates the exposure of %s at 2.0 or less', (_whose, name, rating) => {
  const folder = mkdtempSync(join(tmpdir(), 'unit-'))
  const build = createBuild()
  const unit = join(folder, name)
  writeFileSync(unit, readUnit(build, name, PACKAGE_PATHS))
  // In tenths: 20 is 2.0.
  const { status, stdout } = spawnSync(
    findTool('systemd-analyze') ?? '',
    ['security', '--offline=true', '--threshold=20', unit],
    { encoding: 'utf8' },
  )
  expect({ status, rating: /exposure level.*: ([\d.]+)/.exec(stdout)?.[1] }).toEqual({ status: 0, rating })
  for (const made of [folder, build.work]) rmSync(made, { recursive: true })
})

test('on macOS the agent writes the log itself, in a file that it rotates: launchd never rotates', () => {
  const plist = readFileSync(join(createBuild().root, 'installers/units/vedette-agent.plist'), 'utf8')
  const logFile = /<key>VEDETTE_AGENT_LOG_FILE<\/key>\s*<string>(.*)<\/string>/.exec(plist)?.[1]
  const printed = [...plist.matchAll(/<key>Standard(?:Out|Error)Path<\/key>\s*<string>(.*)<\/string>/g)].map(([, path]) => path)
  expect(logFile).toBe('/Library/Application Support/Vedette/state/agent.log')
  expect(printed).toHaveLength(2)
  expect(printed).not.toContain(logFile)
})
