import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findTool, isMissing } from '../../../../../scripts/test-tools.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { createSigningKey } from './signing-key.ts'

const SECRET = 'a secret for tests that has more than 32 bytes'
const key = createSigningKey(createSecrets([SECRET]))

it('is the same for every process of an installation, and another one for another installation', () => {
  expect(createSigningKey(createSecrets([SECRET])).publicKeys).toBe(key.publicKeys)
  expect(createSigningKey(createSecrets([`another ${SECRET}`])).publicKeys).not.toBe(key.publicKeys)
})

/** A file, its signature, and the public key as OpenSSH reads it. */
function signedFile() {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-signed-'))
  writeFileSync(join(folder, 'file'), 'an agent')
  writeFileSync(join(folder, 'signature'), key.sign(createHash('sha512').update('an agent').digest()))
  writeFileSync(join(folder, 'signers'), key.publicKeys.replace(/^# (.*)[\s\S]*$/, 'release $1\n'))
  return folder
}

it.skipIf(isMissing('ssh-keygen'))('ssh-keygen verifies its signature, and refuses it for another file', () => {
  const folder = signedFile()
  const verify = () =>
    spawnSync(
      findTool('ssh-keygen') ?? '',
      ['-Y', 'verify', '-f', 'signers', '-I', 'release', '-n', 'vedette-release', '-s', 'signature'],
      {
        cwd: folder,
        input: readFileSync(join(folder, 'file')),
      },
    ).status
  expect(verify()).toBe(0)
  writeFileSync(join(folder, 'file'), 'another agent')
  expect(verify()).not.toBe(0)
})

it.skipIf(isMissing('openssl'))('the public key is the one that OpenSSL reads', () => {
  expect(execFileSync('openssl', ['pkey', '-pubin', '-text', '-noout'], { input: key.publicKeys, encoding: 'utf8' })).toContain(
    'ED25519',
  )
})
