import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { findSources, type SourceConfig } from './sources.ts'

/** A host with these files below a folder of its own; `a -> b` is a link. */
function host(...files: string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'vedette-host-'))
  for (const file of files) {
    const [path = '', target] = file.split(' -> ')
    mkdirSync(dirname(join(root, path)), { recursive: true })
    if (target === undefined) writeFileSync(join(root, path), '')
    else symlinkSync(target, join(root, path))
  }
  return root
}

const ALL = [
  'run/docker.sock',
  'sys/block/nvme0n1/size',
  'run/systemd/system/x',
  'sys/class/drm/card1/device/driver -> ../../../bus/pci/drivers/amdgpu',
  'etc/nut/ups.conf',
]
const none: SourceConfig = {}

test.each<[string, string[], SourceConfig, NodeJS.Platform, object]>([
  ['an empty host has none', [], none, 'linux', {}],
  [
    'what the config does not name is found but not allowed, but for graphics cards',
    ALL,
    none,
    'linux',
    { containers: false, disks: false, units: false, gpus: true, ups: false },
  ],
  [
    'what the config names is allowed',
    ALL,
    { containers: true, smart: true, units: ['a'], ups: ['u@h'] },
    'linux',
    { containers: true, disks: true, units: true, gpus: true, ups: true },
  ],
  [
    'a source that the config names counts where nothing is seen',
    [],
    { containerSockets: ['/x'] },
    'linux',
    { containers: true },
  ],
  ['sockets do not count where containers are off', [], { containers: false, containerSockets: ['/x'] }, 'linux', {}],
  [
    'the disks and cards of a virtual machine do not count',
    ['sys/block/vda/size', 'sys/class/drm/card0/device/driver -> x/bochs-drm'],
    none,
    'linux',
    {},
  ],
  ['macOS has services', [], none, 'darwin', { units: false }],
])('%s', (_title, files, config, platform, found) => {
  expect(findSources(config, platform, host(...files))).toEqual(found)
})
