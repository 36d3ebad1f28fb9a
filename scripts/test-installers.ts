// `npm run test:installers`: builds every installer and tests the result. Without RELEASE_KEY_FILE it signs the release with a temporary
// key, because many tests need a signature.
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'vedette-key-'))

function run(program: string, args: readonly string[], environment: Record<string, string>): number {
  const { status, error } = spawnSync(program, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  })
  if (error) throw error
  return status ?? 1
}

function keyFile(): string {
  const path = join(folder, 'key.pem')
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  return path
}

try {
  const built = run(process.execPath, ['installers/build/main.ts'], {
    RELEASE_KEY_FILE: process.env['RELEASE_KEY_FILE'] ?? keyFile(),
  })
  const test = ['scripts/launch.sh', 'test', 'installers']
  process.exitCode = built === 0 ? run('sh', test, { TEST_INSTALLERS: '1' }) : built
} finally {
  rmSync(folder, { recursive: true })
}
