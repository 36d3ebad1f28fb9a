import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../../scripts/test-tools.ts'
import type { CertificatePattern } from '../config/config-settings.ts'
import { type CertificateReport, createCertificateFiles } from './certificate-files.ts'
import { readCertificates } from './read-certificates.ts'
import { Unreadable } from './unreadable.ts'

const PASSWORD = 'kork-und-eiche'
let folder: string
const at = (name: string) => join(folder, name)
const bytesOf = (name: string) => readFileSync(at(name))

const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })

/** `name.key` and `name.pem`, signed by `issuer`. */
function makeCertificate(name: string, issuer?: string): void {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${name}.key`]
  const signed = issuer === undefined ? ['-x509'] : ['-x509', '-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`]
  const constraints = name === 'leaf' ? 'CA:FALSE' : 'critical,CA:TRUE'
  const names = name === 'leaf' ? ['-addext', 'subjectAltName=DNS:shop.example,IP:192.0.2.7'] : []
  const of = ['-subj', `/CN=${name}`, '-addext', `basicConstraints=${constraints}`, ...names, '-days', '90']
  openssl('req', ...key, ...signed, ...of, '-out', `${name}.pem`)
}

const joined = (...names: string[]) => names.map((name) => bytesOf(`${name}.pem`).toString()).join('')

/** A key store of Java by its published form, with one trusted certificate and one key with its chain. */
function makeJks(): Buffer {
  const der = (name: string) => execFileSync('openssl', ['x509', '-in', at(`${name}.pem`), '-outform', 'DER'])
  const uint32 = (value: number) => Buffer.from([value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255])
  const text = (value: string) => Buffer.concat([Buffer.from([0, value.length]), Buffer.from(value)])
  const one = (name: string) => Buffer.concat([text('X.509'), uint32(der(name).length), der(name)])
  const trusted = [uint32(2), text('authority'), Buffer.alloc(8), one('other')]
  const key = [uint32(1), text('tomcat'), Buffer.alloc(8), uint32(5), Buffer.from('12345'), uint32(2), one('leaf'), one('middle')]
  const head = [uint32(0xfeedfeed), uint32(2), uint32(2)]
  return Buffer.concat([...head, ...trusted, ...key, createHash('sha1').update('any').digest()])
}

const isOff = isMissing('openssl')

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vedette-certificates-'))
  if (isOff) return
  makeCertificate('root')
  makeCertificate('middle', 'root')
  makeCertificate('leaf', 'middle')
  makeCertificate('other')
  writeFileSync(at('chain.pem'), joined('leaf', 'middle', 'root'))
  writeFileSync(at('bundle.pem'), joined('root', 'other'))
  openssl('x509', '-in', 'leaf.pem', '-outform', 'DER', '-out', 'leaf.cer')
  const store = ['pkcs12', '-export', '-inkey', 'leaf.key', '-in', 'leaf.pem', '-certfile', 'middle.pem', '-name', 'tomcat']
  openssl(...store, '-passout', `pass:${PASSWORD}`, '-out', 'new.p12')
  openssl(...store, '-passout', `pass:${PASSWORD}`, '-certpbe', 'PBE-SHA1-3DES', '-out', 'old.p12')
  openssl(...store, '-passout', `pass:${PASSWORD}`, '-certpbe', 'NONE', '-out', 'open.p12')
  openssl(...store, '-passout', 'pass:', '-out', 'empty.p12')
  openssl(...store, '-passout', 'pass:', '-certpbe', 'PBE-SHA1-3DES', '-out', 'empty-old.p12')
  writeFileSync(at('store.jks'), makeJks())
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const readOf = (name: string, password?: string) => readCertificates(bytesOf(name), password)
const subjectsOf = async (name: string, password?: string) =>
  (await readOf(name, password)).map(({ entry, certificate }) => [
    entry,
    ...(certificate.chain ?? []).map(({ subject }) => subject),
  ])

describe.skipIf(isOff)('the certificates of a file', () => {
  it('in PEM are one with its issuers, whatever their order', async () => {
    expect(await subjectsOf('chain.pem')).toEqual([[undefined, 'leaf', 'middle', 'root']])
    writeFileSync(at('turned.pem'), `Bag Attributes\n${joined('root', 'leaf', 'middle')}${bytesOf('leaf.key').toString()}`)
    expect(await subjectsOf('turned.pem')).toEqual([[undefined, 'leaf', 'middle', 'root']])
    const [{ certificate } = { certificate: undefined }] = await readOf('chain.pem')
    expect(certificate).toMatchObject({
      issuer: 'middle',
      subject_names: ['shop.example', '192.0.2.7'],
      sha256: createHash('sha256').update(bytesOf('leaf.cer')).digest('hex'),
    })
    expect(certificate?.chain?.[0]).toMatchObject({ key_type: 'ec', key_bits: 256, signature: 'ecdsa-with-SHA256' })
  })

  it('that has several are named by their subjects', async () => {
    expect(await subjectsOf('bundle.pem')).toEqual([
      ['root', 'root'],
      ['other', 'other'],
    ])
    writeFileSync(at('twice.pem'), joined('other', 'other', 'root'))
    expect((await readOf('twice.pem')).map(({ entry }) => entry)).toEqual(['other', 'root'])
  })

  it('in DER are read, and of keys there are none', async () => {
    expect(await subjectsOf('leaf.cer')).toEqual([[undefined, 'leaf']])
    expect(await readOf('leaf.key')).toEqual([])
  })

  it.each(['new.p12', 'old.p12'])('in %s need the right password', async (name) => {
    expect(await subjectsOf(name, PASSWORD)).toEqual([[undefined, 'leaf', 'middle']])
    await expect(readOf(name)).rejects.toThrow('it needs a password (password_file)')
    await expect(readOf(name, 'wrong')).rejects.toThrow('the password of password_file is wrong')
  })

  it.each(['open.p12', 'empty.p12', 'empty-old.p12'])('in %s need no password', async (name) => {
    expect(await subjectsOf(name)).toEqual([[undefined, 'leaf', 'middle']])
  })

  it('in JKS need no password and have their aliases', async () => {
    expect(await subjectsOf('store.jks')).toEqual([
      ['authority', 'other'],
      ['tomcat', 'leaf', 'middle'],
    ])
  })

  it('of another format are not guessed', async () => {
    await expect(readCertificates(Buffer.from('hello'), undefined)).rejects.toThrow('it is not PEM, DER, PKCS#12 or JKS')
    await expect(readCertificates(Buffer.alloc(0), undefined)).rejects.toThrow(Unreadable)
    await expect(readCertificates(Buffer.from('cececece', 'hex'), undefined)).rejects.toThrow('JCEKS')
  })

  it('that is cut at any byte, or has any byte changed, are read or unreadable', async () => {
    const isFine = async (bytes: Buffer) => {
      const outcome: unknown = await readCertificates(bytes, PASSWORD).catch((error: unknown) => error)
      expect(Array.isArray(outcome) || outcome instanceof Unreadable).toBe(true)
    }
    for (const name of ['leaf.cer', 'open.p12', 'store.jks']) {
      const bytes = bytesOf(name)
      for (let length = 0; length < bytes.length; length++) await isFine(bytes.subarray(0, length))
    }
    const stores = ['leaf.cer', 'open.p12', 'new.p12', 'store.jks', 'chain.pem'].map(bytesOf)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...stores), fc.nat(), fc.nat(255), async (bytes, where, value) => {
        const changed = Buffer.from(bytes)
        changed[where % bytes.length] = value
        await isFine(changed)
      }),
      { numRuns: 300 },
    )
    await isFine(Buffer.from('fedfeedfeed00000002ffffffff', 'hex'))
    await isFine(Buffer.from('feedfeed00000002ffffffff00000001ffff', 'hex'))
  })

  it('whose password is derived in too many steps is not computed', async () => {
    const steps = ['-iter', '100001', '-certpbe', 'PBE-SHA1-3DES']
    openssl('pkcs12', '-export', '-in', 'leaf.pem', '-inkey', 'leaf.key', '-passout', 'pass:x', ...steps, '-out', 'slow.p12')
    await expect(readOf('slow.p12', 'x')).rejects.toThrow('its password is derived in more than 100,000 steps')
  })
})

describe.skipIf(isOff)('the files of a host', () => {
  const logged: string[] = []
  const filesOf = (...patterns: (string | CertificatePattern)[]) =>
    createCertificateFiles(
      patterns.map((one) => (typeof one === 'string' ? { path: one } : one)),
      '',
      (_level, message) => void logged.push(message),
    )
  const pathsOf = ({ certificates, unreadable_certificates: unreadable }: CertificateReport) => [
    certificates.map(({ path }) => path.slice(folder.length + 1)),
    unreadable.map(({ path, reason }) => `${path.slice(folder.length + 1)}: ${reason}`),
  ]
  const fill = (name: string, ...files: string[]) => {
    mkdirSync(at(name), { recursive: true })
    for (const file of files) cpSync(at(file), at(`${name}/${file}`))
  }

  it('are found by wildcards, through links, each once', async () => {
    fill('live/a', 'leaf.pem')
    fill('live/b/c', 'other.pem', 'leaf.key')
    symlinkSync('../a/leaf.pem', at('live/b/link.pem'))
    symlinkSync('..', at('live/b/up'))
    expect(pathsOf(await filesOf(at('live/*/*.pem'), at('live/a/leaf.pem')).read())).toEqual([
      ['live/a/leaf.pem', 'live/b/link.pem'],
      [],
    ])
    expect(pathsOf(await filesOf(at('live/**/*.pem')).read())).toEqual([
      ['live/a/leaf.pem', 'live/b/c/other.pem', 'live/b/link.pem'],
      [],
    ])
    expect(pathsOf(await filesOf(at('live/**')).read())[0]).toHaveLength(3)
  })

  it('that cannot be read are named, and harm nothing', async () => {
    fill('odd', 'leaf.pem')
    mkdirSync(at('odd/folder.pem'))
    execFileSync('mkfifo', [at('odd/pipe.pem')])
    symlinkSync(at('odd/pipe.pem'), at('odd/to-pipe.pem'))
    symlinkSync('loop.pem', at('odd/loop.pem'))
    symlinkSync('nowhere', at('odd/gone.pem'))
    symlinkSync('/dev/zero', at('odd/zero.pem'))
    writeFileSync(at('odd/huge.pem'), '')
    truncateSync(at('odd/huge.pem'), 5_000_000_000)
    writeFileSync(at('odd/half.pem'), bytesOf('leaf.pem').subarray(0, 200))
    expect(pathsOf(await filesOf(at('odd/*.pem'), at('odd/pipe.pem'), at('odd/missing.pem')).read())).toEqual([
      ['odd/leaf.pem'],
      [
        'odd/gone.pem: it does not exist',
        'odd/half.pem: it ends in a certificate',
        'odd/huge.pem: it is larger than 1024 KiB',
        'odd/loop.pem: its links lead in a circle',
        'odd/to-pipe.pem: it is not a file',
        'odd/zero.pem: it is not a file',
        'odd/pipe.pem: it is not a file',
        'odd/missing.pem: it does not exist',
      ],
    ])
  })

  it('are read again only where size or time of change is another one', async () => {
    fill('same', 'leaf.pem')
    const path = at('same/leaf.pem')
    utimesSync(path, 1, 1)
    const files = filesOf(at('same/*'))
    const first = await files.read()
    // The same marker, other contents: what is reported shows that nothing was read.
    writeFileSync(path, 'x'.repeat(statSync(path).size))
    utimesSync(path, 1, 1)
    expect(await files.read()).toEqual(first)
    appendFileSync(path, 'x')
    expect(pathsOf(await files.read())[1]).toEqual(['same/leaf.pem: it is not PEM, DER, PKCS#12 or JKS'])
    rmSync(path)
    expect(await files.read()).toEqual({ certificates: [], unreadable_certificates: [] })
  })

  it('that are protected are read with the password of a file, also once it is corrected', async () => {
    fill('protected', 'new.p12')
    writeFileSync(at('password'), 'wrong\n')
    const files = filesOf({ path: at('protected/*.p12'), password_file: at('password') })
    expect(pathsOf(await files.read())[1]).toEqual(['protected/new.p12: the password of password_file is wrong'])
    writeFileSync(at('password'), `${PASSWORD}\n`)
    expect(pathsOf(await files.read())).toEqual([['protected/new.p12'], []])
    rmSync(at('password'))
    expect(pathsOf(await files.read())[1]).toEqual(['protected/new.p12: password_file: it does not exist'])
  })

  it('are reported without keys and passwords', async () => {
    fill('all', 'chain.pem', 'turned.pem', 'new.p12', 'store.jks', 'leaf.key', 'bundle.pem')
    writeFileSync(at('password'), PASSWORD)
    const report = await filesOf({ path: at('all/*'), password_file: at('password') }).read()
    expect(report.certificates).toHaveLength(7)
    const text = JSON.stringify(report)
    expect(text).not.toContain(PASSWORD)
    for (const line of readFileSync(at('leaf.key'), 'utf8').split('\n').slice(1, -2)) expect(text).not.toContain(line)
  })

  it('are left out beyond 200 certificates', async () => {
    mkdirSync(at('many'))
    for (let index = 0; index < 230; index++) cpSync(at('leaf.pem'), at(`many/${index}.pem`))
    expect((await filesOf(at('many/*')).read()).certificates).toHaveLength(200)
    expect(logged).toContain('more than 200 certificates: the rest is left out')
  })

  it('of a host that is mounted elsewhere have its paths, and no link leads out of it', async () => {
    fill('host/etc', 'leaf.pem')
    symlinkSync(at('other.pem'), at('host/etc/out.pem'))
    const files = createCertificateFiles([{ path: '/etc/*.pem' }], at('host'), () => undefined)
    expect(await files.read()).toMatchObject({
      certificates: [{ path: '/etc/leaf.pem' }],
      unreadable_certificates: [{ path: '/etc/out.pem', reason: 'its link leads out of host_root' }],
    })
  })
})
