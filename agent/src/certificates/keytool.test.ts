import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../../scripts/test-tools.ts'
import { readCertificates } from './read-certificates.ts'

const PASSWORD = 'kork-und-eiche'
const folder = mkdtempSync(join(tmpdir(), 'vedette-keytool-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(isMissing('keytool'))('the certificates of a key store that keytool made', () => {
  it.each([
    ['JKS', undefined],
    ['PKCS12', PASSWORD],
  ])(
    'in %s are read',
    async (type, password) => {
      const file = join(folder, type)
      const run = (...args: string[]) =>
        execFileSync('keytool', [...args, '-keystore', file, '-storetype', type, '-storepass', PASSWORD], { stdio: 'pipe' })
      for (const name of ['tomcat', 'authority'])
        run('-genkeypair', '-alias', name, '-keyalg', 'EC', '-dname', `CN=${name}.example`, '-keypass', PASSWORD)
      const authority = run('-exportcert', '-rfc', '-alias', 'authority')
      run('-delete', '-alias', 'authority')
      execFileSync('keytool', ['-importcert', '-noprompt', '-alias', 'authority', '-keystore', file, '-storepass', PASSWORD], {
        input: authority,
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      const found = await readCertificates(readFileSync(file), password)
      expect(Object.fromEntries(found.map(({ entry, certificate }) => [entry, certificate.subject_names]))).toEqual({
        authority: ['authority.example'],
        tomcat: ['tomcat.example'],
      })
    },
    120_000,
  )
})
