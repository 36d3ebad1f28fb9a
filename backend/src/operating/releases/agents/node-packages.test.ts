import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { NODE_PACKAGES, platformOf } from './node-packages.ts'

const lockfile = readFileSync('pnpm-lock.yaml', 'utf8')
const targets = readFileSync('installers/build/targets.ts', 'utf8')

it.each(Object.entries(NODE_PACKAGES))(
  'the package for %s is that of the lockfile and of the packages of releases',
  (platform, node) => {
    expect(targets).toContain(`sha512: '${node.sha512}'`)
    expect(targets).toContain(`package: '${node.name}'`)
    expect(targets).toContain(`VERSION = '${node.version}'`)
    // Its package has no system, so it is not among the dependencies.
    if (platform === 'win-x64') return
    expect(lockfile).toContain(`${node.name}@${node.version}:\n    resolution: {integrity: sha512-${node.sha512}}`)
  },
)

it.each([
  ['linux', 'x64', 'linux-x64'],
  ['darwin', 'arm64', 'darwin-arm64'],
  ['win32', 'x64', 'win-x64'],
  ['linux', 'riscv64', undefined],
  ['aix', 'ppc64', undefined],
])('a Node on %s %s is that of %s', (os, arch, platform) => expect(platformOf(os, arch)).toBe(platform))
