import { createHash, createPublicKey, verify } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Files that SHA256SUMS does not list: itself and the signatures, which are made after it. */
const UNLISTED = ['SHA256SUMS', 'manifest.json.sig', 'manifest.json.sshsig']

/** The faults of SHA256SUMS in a release folder (docs/releases.md): a wrong digest, a file that is missing or not listed. */
export async function sumFaults(folder: string): Promise<string[]> {
  const path = join(folder, 'SHA256SUMS')
  if (!existsSync(path)) return ['there is no SHA256SUMS']
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  const listed = lines.map((line) => /^([0-9a-f]{64}) {2}(\S+)$/.exec(line))
  const faults = await Promise.all(
    listed.map(async (match, index) => {
      const [, digest, name = ''] = match ?? []
      if (!match) return `line ${index + 1} of SHA256SUMS is no digest and name`
      if (!existsSync(join(folder, name))) return `${name} is missing`
      return (await digestOf(join(folder, name))) === digest ? undefined : `${name} has another digest`
    }),
  )
  const names = new Set([...UNLISTED, ...listed.map((match) => match?.[2])])
  const more = readdirSync(folder).filter((name) => !names.has(name))
  return [...faults.filter((fault) => fault !== undefined), ...more.map((name) => `${name} is not in SHA256SUMS`)]
}

interface Manifest {
  format: string
  version: string
  expires_at: string
  artefacts: readonly { name: string; size: number; sha256: string }[]
}

/** The faults of the manifest: signature, version, expiry at `nowMs`, and each artefact's size and digest. */
export async function manifestFaults(folder: string, version: string, nowMs: number): Promise<string[]> {
  const path = join(folder, 'manifest.json')
  const [signature, keys] = [`${path}.sig`, join(folder, 'release-keys.pem')]
  const missing = [path, signature, keys].filter((file) => !existsSync(file))
  if (missing.length > 0) return [`nothing is signed: ${missing.map((file) => file.slice(folder.length + 1)).join(', ')} missing`]
  const bytes = readFileSync(path)
  const blocks = readFileSync(keys, 'utf8').match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? []
  // An unsigned manifest is not read.
  if (!blocks.some((pem) => verify(null, bytes, createPublicKey(pem), readFileSync(signature))))
    return ['none of the keys in release-keys.pem has signed manifest.json']
  const manifest = JSON.parse(bytes.toString('utf8')) as Manifest
  const faults = await Promise.all(manifest.artefacts.map((artefact) => artefactFault(folder, artefact)))
  return [
    ...(manifest.format === 'vedette-release-1' ? [] : [`the manifest is of the form ${manifest.format}`]),
    ...(manifest.version === version ? [] : [`the manifest is of version ${manifest.version}, not ${version}`]),
    ...(Date.parse(manifest.expires_at) > nowMs ? [] : [`the manifest has expired at ${manifest.expires_at}`]),
    ...faults.filter((fault) => fault !== undefined),
  ]
}

async function artefactFault(folder: string, { name, size, sha256 }: Manifest['artefacts'][number]): Promise<string | undefined> {
  const path = join(folder, name)
  if (!existsSync(path)) return `${name} of the manifest is missing`
  const isSame = statSync(path).size === size && (await digestOf(path)) === sha256
  return isSame ? undefined : `${name} is not what the manifest says`
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
